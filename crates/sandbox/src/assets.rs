//! The page, embedded.

use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};

macro_rules! assets {
    ($($name:literal: $kind:literal),* $(,)?) => {
        &[$(($name, $kind, include_bytes!(concat!("../web/", $name)))),*]
    };
}

/// Path, type and content of every file.
const ASSETS: &[(&str, &str, &[u8])] = assets!(
    "index.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "bodies.js": "text/javascript; charset=utf-8",
    "compare.js": "text/javascript; charset=utf-8",
    "controls.js": "text/javascript; charset=utf-8",
    "decode.js": "text/javascript; charset=utf-8",
    "dom.js": "text/javascript; charset=utf-8",
    "editor.js": "text/javascript; charset=utf-8",
    "fluids.js": "text/javascript; charset=utf-8",
    "inspector.js": "text/javascript; charset=utf-8",
    "link.js": "text/javascript; charset=utf-8",
    "main.js": "text/javascript; charset=utf-8",
    "method.js": "text/javascript; charset=utf-8",
    "mouse.js": "text/javascript; charset=utf-8",
    "overlay.js": "text/javascript; charset=utf-8",
    "plots.js": "text/javascript; charset=utf-8",
    "profile.js": "text/javascript; charset=utf-8",
    "shadows.js": "text/javascript; charset=utf-8",
    "skin.js": "text/javascript; charset=utf-8",
    "stage.js": "text/javascript; charset=utf-8",
    "strands.js": "text/javascript; charset=utf-8",
    "thumbnails.js": "text/javascript; charset=utf-8",
    "vendor/three.js": "text/javascript; charset=utf-8",
    "vendor/LICENSE": "text/plain; charset=utf-8",
);

/// What the page may load and who may embed it: itself only, nobody.
const POLICY: &str = "default-src 'self'; img-src 'self' blob: data:; connect-src 'self' ws: wss:; frame-ancestors 'none'; \
                      base-uri 'none'; form-action 'none'";

const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
];

/// The file at a path of the address.
pub(crate) fn asset(path: &str) -> Response {
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    match ASSETS.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, content)) => (HEADERS, [(header::CONTENT_TYPE, *kind)], *content).into_response(),
        None => (StatusCode::NOT_FOUND, HEADERS, "there is no such page").into_response(),
    }
}
