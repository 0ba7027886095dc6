#!/bin/sh
# What the tests with other programs need, where it is missing. Runs as root on Debian, any number of times.
set -e
cd "$(dirname "$0")/../.."
export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore

# Installs those of the packages that are missing; says nothing unless it fails.
updated=
packages() {
    wanted=
    for package; do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null || true)
        [ "$state" = installed ] || wanted="$wanted $package"
    done
    [ -n "$wanted" ] || return 0
    log=$(mktemp)
    if { [ -n "$updated" ] || apt-get update -qq; } > "$log" 2>&1 &&
        apt-get install -y -qq --no-install-recommends $wanted >> "$log" 2>&1; then
        updated=1
        rm -f "$log"
    else
        tail -n 20 "$log" >&2
        rm -f "$log"
        return 1
    fi
}

# cshogi's runner with an opponent for it, and its packing of positions.
python3 -c 'import cshogi' 2> /dev/null || python3 -m pip install --quiet 'cshogi==1.1.0'
packages fairy-stockfish

# shogiarena, apart from everything: it wants versions of its own of what it builds on.
arena=target/clients/shogiarena
if [ "$("$arena/bin/python" -c 'from importlib.metadata import version; print(version("shogiarena"))' 2> /dev/null)" != 1.3.2 ]; then
    rm -rf "$arena"
    python3 -m venv "$arena"
    "$arena/bin/python" -m pip install --quiet 'shogiarena==1.3.2'
fi

# XBoard, what translates for it, a screen for its window and a camera for the screen.
packages xboard uci2wb xvfb imagemagick

# A Windows build and something to run it. wine.sh does without.
packages rustc-web cargo-web rust-web-src gcc-mingw-w64-x86-64 wine wine64 ||
    echo "notice: no compiler for Windows or no Wine can be installed"
