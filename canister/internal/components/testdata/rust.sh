#!/bin/sh
# Compiles the components in Rust, into this folder or into the folder OUT, at the path that it has in the repository.
set -eu
cd "$(dirname "$0")"
root="$(cd ../../../.. && pwd)"
# A folder of its own: the name of a package is the name of its file there.
export CARGO_TARGET_DIR="$root/bin/canister-components"
. "$root/component/testdata/rust_compile.sh"
compile rust "${OUT:-$root}/canister/internal/components/testdata/till.wasm"
compile rust-streams "${OUT:-$root}/canister/internal/components/testdata/relay.wasm"
