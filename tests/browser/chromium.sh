#!/bin/sh
# A Chromium for the browser tests: the one that is there, or Debian's package.
set -eu

found() {
    [ -n "${GEOPAR_CHROMIUM:-}" ] && return 0
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    return 1
}

say_how() {
    echo "The browser tests need Chromium, and it could not be installed from here." >&2
    echo "On Debian or Ubuntu: sudo apt-get install chromium" >&2
    echo "Elsewhere install Chromium or Chrome, or set GEOPAR_CHROMIUM to its program." >&2
    exit 1
}

found && exit 0
command -v apt-get >/dev/null 2>&1 || say_how
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    say_how
fi
echo "Installing chromium: once, a minute or two."
install() {
    # shellcheck disable=SC2086 # empty for root
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends chromium >/dev/null
}
install || { $as_root apt-get update -qq && install; } || say_how
found || say_how
