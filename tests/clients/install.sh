#!/bin/sh
# What the tests with other programs need, where it is missing: cshogi's runner and Fairy-Stockfish.
set -e
python3 -c 'import cshogi' 2>/dev/null || python3 -m pip install --quiet 'cshogi==1.1.0'
if [ ! -x /usr/games/fairy-stockfish ]; then
    apt-get update -qq
    apt-get install -y -qq fairy-stockfish
fi
