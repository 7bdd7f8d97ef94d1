#!/bin/sh
# Makes binaries of the components in text and in C, beside the former or in the folder OUT, at the path that they have in the
# repository. The compiler is the one of the other fixtures in C: the same bytes come out of Debian 12's alone.
set -eu
cd "$(dirname "$0")"
root="$(cd ../.. && pwd)"
out="${OUT:-$root}/component/testdata"
tools="${WASM_TOOLS:-$root/bin/wasm-tools/bin/wasm-tools}"
CLANG="${CLANG:-/usr/bin/clang-14}"
for source in valid/*.wat refused/*.wat; do
  mkdir -p "$out/$(dirname "$source")"
  "$tools" parse "$source" --output "$out/${source%.wat}.wasm"
done
if ! "$CLANG" --version 2>/dev/null | grep -q "clang version 14\."; then
  echo "fixtures: $CLANG is not clang 14. On Debian 12: apt-get install clang lld; elsewhere set CLANG to such a compiler" >&2
  exit 1
fi
core="$(mktemp -d)"
trap 'rm -rf "$core"' EXIT
mkdir -p "$out/wasi"
"$CLANG" --target=wasm32 -nostdlib -Os -fno-builtin -Wall -Wextra -Werror -Wl,--no-entry -Wl,--strip-debug -o "$core/tally.wasm" c/tally.c
"$tools" component embed c/tally.wit "$core/tally.wasm" --output "$core/embedded.wasm"
"$tools" component new "$core/embedded.wasm" --output "$out/wasi/tally.wasm"
