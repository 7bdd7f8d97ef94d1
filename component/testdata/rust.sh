#!/bin/sh
# Compiles the components in Rust and puts them beside the others, or into the folder OUT, at the path that they have in
# the repository.
set -eu
cd "$(dirname "$0")"
root="$(cd ../.. && pwd)"
out="${OUT:-$root}/component/testdata"
# A folder of its own: the name of a package is the name of its file there.
export CARGO_TARGET_DIR="$root/bin/rust-components"
. ./rust_compile.sh
compile rust "$out/valid/orders.wasm"
compile rust-async "$out/valid/desk.wasm"
compile rust-wasi "$out/wasi/clerk.wasm"
compile rust-wasi-async "$out/wasi/timers.wasm"
