#!/bin/sh
# Compiles the component in Rust, into this folder or into the folder OUT, at the path that it has in the repository. The compiler
# is the one that make fixtures ONLY=rust unpacks (test/canistertest/fixtures/rust.sh), in RUST_WEB.
set -eu
cd "$(dirname "$0")"
root="$(cd ../../../.. && pwd)"
out="${OUT:-$root}/canister/internal/components/testdata"
RUST_WEB="${RUST_WEB:-$root/bin/tools/rust-web-1.96}"
if ! test -x "$RUST_WEB/usr/bin/rustc"; then
  echo "fixtures: $RUST_WEB has no rustc: run make fixtures ONLY=rust, which unpacks it, or set RUST_WEB" >&2
  exit 1
fi
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS RUSTC_WRAPPER
export RUSTC="$RUST_WEB/usr/bin/rustc" RUSTC_BOOTSTRAP=1 CARGO_PROFILE_RELEASE_TRIM_PATHS=all
LD_LIBRARY_PATH="$(echo "$RUST_WEB"/usr/lib/*-linux-gnu)"
export LD_LIBRARY_PATH
# A folder of its own: the name of a package is the name of its file there.
export CARGO_TARGET_DIR="$root/bin/canister-components" CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$RUST_WEB/usr/lib/llvm-22/bin/wasm-ld"
(cd rust && "$RUST_WEB/usr/bin/cargo" build --quiet --locked --release --target wasm32-unknown-unknown -Zbuild-std=std,panic_abort -Ztrim-paths)
mkdir -p "$out"
"${WASM_TOOLS:-$root/bin/wasm-tools/bin/wasm-tools}" component new "$CARGO_TARGET_DIR/wasm32-unknown-unknown/release/till.wasm" --output "$out/till.wasm"
