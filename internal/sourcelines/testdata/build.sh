#!/bin/sh
# Compiles the fixtures of this folder from project, as if it lay in /build/project. The same bytes come out only of the
# same compilers: those of Debian 12 (rustc 1.63, libstd-rust-dev-wasm32, clang 14, lld).
set -eu
cd "$(dirname "$0")/project"
RUSTC="${RUSTC:-/usr/bin/rustc}"
CLANG="${CLANG:-/usr/bin/clang-14}"

for version in 4 5; do
  "$CLANG" --target=wasm32 -O1 -gline-tables-only "-gdwarf-$version" "-fdebug-prefix-map=$PWD=/build/project" -nostdlib -Wl,--no-entry -o "../c$version.wasm" src/sum.c
done
"$CLANG" --target=wasm32 -O0 -g -gdwarf-4 "-fdebug-prefix-map=$PWD=/build/project" -nostdlib -Wl,--no-entry -o ../debug.wasm src/sum.c
"$RUSTC" --edition 2021 --target wasm32-unknown-unknown --crate-type cdylib -C opt-level=1 -C panic=abort -C debuginfo=1 \
  "--remap-path-prefix=$PWD=/build/project" -o ../rust.wasm src/lib.rs
# The same code without debug information.
"$CLANG" --target=wasm32 -O0 -g0 -nostdlib -Wl,--no-entry -o ../stripped.wasm src/sum.c
chmod 644 ../*.wasm
