#!/bin/sh
# axe-core for the checks of accessibility: the one that is there, or npm's.
set -eu
cd "$(dirname "$0")/../../web"
[ -f node_modules/axe-core/axe.min.js ] && exit 0
if command -v npm >/dev/null 2>&1; then
    echo "Installing what the page is checked with: once, under a minute."
    npm install --no-package-lock --silent >/dev/null 2>&1 && exit 0
fi
echo "There is no axe-core, and npm cannot fetch it here: checks of accessibility are skipped." >&2
