#!/bin/sh
# Compiles the runtime and the components in text, into this folder or into the folder OUT, at the path that they have in the
# repository. The compiler is the one of the other fixtures in C: the same bytes come out of Debian 12's alone. The target says how the code reaches its data,
# which the linker places: nothing of the target's libraries is used.
set -eu
cd "$(dirname "$0")"
root="$(cd ../../../.. && pwd)"
out="${OUT:-$root}/canister/internal/components"
CLANG="${CLANG:-/usr/bin/clang-14}"
if ! "$CLANG" --version 2>/dev/null | grep -q "clang version 14\."; then
  echo "fixtures: $CLANG is not clang 14. On Debian 12: apt-get install clang lld; elsewhere set CLANG to such a compiler" >&2
  exit 1
fi
objects="$(mktemp -d)"
trap 'rm -rf "$objects"' EXIT
mkdir -p "$out"
for source in memory candid handles waitables ends tasks imports wasi; do
  "$CLANG" --target=wasm32-unknown-emscripten -std=c11 -Os -fPIC -fno-builtin -fvisibility=hidden -mbulk-memory -Wall -Wextra -Werror \
    -c -o "$objects/$source.o" "$source.c"
done
"${WASM_LD:-/usr/bin/wasm-ld-14}" -shared --experimental-pic --no-entry --strip-debug --gc-sections -o "$out/runtime.wasm" "$objects"/*.o
chmod 644 "$out/runtime.wasm"
mkdir -p "$out/testdata"
tools="${WASM_TOOLS:-$root/bin/wasm-tools/bin/wasm-tools}"
"$CLANG" --target=wasm32 -nostdlib -Os -fno-builtin -mbulk-memory -Wall -Wextra -Werror -Wl,--no-entry -Wl,--strip-debug -o "$objects/clerk.wasm" ../testdata/c/clerk.c
"$tools" component embed ../testdata/c/clerk.wit "$objects/clerk.wasm" --output "$objects/embedded.wasm"
"$tools" component new "$objects/embedded.wasm" --output "$out/testdata/clerk.wasm"
for source in ../testdata/*.wat; do
  "$tools" parse "$source" --output "$out/testdata/$(basename "$source" .wat).wasm"
done
