#!/bin/bash
# Builds the engine for Windows with Debian's packages alone and talks with it under Wine.
#
#     tests/clients/wine.sh [--ci]
#
# Where the packages are missing (install.sh tries to get them) it says so and passes. What is built stays in target/.
set -euo pipefail
cd "$(dirname "$0")/../.."

for program in /usr/bin/cargo /usr/bin/rustc x86_64-w64-mingw32-gcc wine; do
    if ! command -v "$program" > /dev/null; then
        echo "notice: $program is not installed, so the Windows build is not tested"
        exit 0
    fi
done

work=$PWD/target/clients/wine
target=x86_64-pc-windows-gnu
mkdir -p "$work"

# The standard library for Windows comes as source: -Z build-std compiles it, which a stable compiler does when it is
# told to be a nightly one. Neither symbols nor speed are of use here, only that it is built soon.
echo "building for $target"
env -u RUSTUP_TOOLCHAIN -u CARGO -u RUSTC_WRAPPER RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
    /usr/bin/cargo build --quiet --release --locked --bin happo --target-dir "$work" --target "$target" \
    -Z build-std=std,panic_abort --config "target.$target.linker=\"x86_64-w64-mingw32-gcc\"" \
    --config profile.release.debug=false --config profile.release.opt-level=1 \
    --config profile.release.codegen-units=16

# A folder as users have them.
folder="$work/将棋 エンジン"
mkdir -p "$folder"
cp "$work/$target/release/happo.exe" "$folder"

# Wine 8 lacks the library that Rust takes random numbers from; every Windows since 7 has it.
cat > "$work/prng.c" << 'END'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
    return RtlGenRandom(data, (ULONG)length);
}
END
x86_64-w64-mingw32-gcc -shared -o "$folder/bcryptprimitives.dll" "$work/prng.c" -ladvapi32

# Names that are not ASCII need a locale that has them.
export WINEPREFIX=$work/prefix WINEDEBUG=-all LC_ALL=C.UTF-8
status=0
python3 tests/clients/windows.py "$folder/happo.exe" || status=$?
# Wine's server outlives the programs, and with it what waits for its output.
wineserver -k 2> /dev/null || true
exit "$status"
