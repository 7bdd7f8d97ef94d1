# Read by the scripts that compile components in Rust, which set root, the repository, and CARGO_TARGET_DIR. The compiler is the one
# that make fixtures ONLY=rust unpacks (test/canistertest/fixtures/rust.sh), in RUST_WEB.
RUST_WEB="${RUST_WEB:-$root/bin/tools/rust-web-1.96}"
if ! test -x "$RUST_WEB/usr/bin/rustc"; then
  echo "fixtures: $RUST_WEB has no rustc: run make fixtures ONLY=rust, which unpacks it, or set RUST_WEB" >&2
  exit 1
fi
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS RUSTC_WRAPPER
export RUSTC="$RUST_WEB/usr/bin/rustc" RUSTC_BOOTSTRAP=1 CARGO_PROFILE_RELEASE_TRIM_PATHS=all
LD_LIBRARY_PATH="$(echo "$RUST_WEB"/usr/lib/*-linux-gnu)"
export LD_LIBRARY_PATH CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$RUST_WEB/usr/lib/llvm-22/bin/wasm-ld"

# compile FOLDER RESULT makes the component RESULT of the package in FOLDER that has its name.
compile() {
  (cd "$1" && "$RUST_WEB/usr/bin/cargo" build --quiet --locked --release --target wasm32-unknown-unknown -Zbuild-std=std,panic_abort -Ztrim-paths)
  mkdir -p "$(dirname "$2")"
  "${WASM_TOOLS:-$root/bin/wasm-tools/bin/wasm-tools}" component new "$CARGO_TARGET_DIR/wasm32-unknown-unknown/release/$(basename "$2")" --output "$2"
}
