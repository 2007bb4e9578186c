#!/usr/bin/env bash
# Checks the types of the page and tries it in a real browser. Needs Node and the tumble binary; installs what else is missing.
set -euo pipefail
cd "$(dirname "$0")"
tumble=${1:?usage: run.sh PATH_OF_TUMBLE}

command -v npm >/dev/null || { echo "npm is missing: install Node 20 or newer, then run this again" >&2; exit 1; }
[ -d node_modules/playwright-core ] && [ -d node_modules/typescript ] || npm ci --no-audit --no-fund --loglevel=error
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
    as_root=$([ "$(id -u)" = 0 ] || echo sudo)
    $as_root apt-get update -qq
    $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null
    chromium=$(command -v chromium)
fi

npx tsc -p tsconfig.json
# Every wait in it has an end of its own; this is for what nobody thought of.
timeout 7200 node sandbox.mjs "$tumble" "$chromium"
