#!/usr/bin/env bash
# Renews web/vendor/three.js: the parts named in three-parts.js, bundled and minified. Needs Node.
set -euo pipefail
cd "$(dirname "$0")"
[ -d node_modules/esbuild ] || npm ci --no-audit --no-fund
npx esbuild three-parts.js --bundle --format=esm --minify --legal-comments=none --outfile=../web/vendor/three.js
cp node_modules/three/LICENSE ../web/vendor/LICENSE
