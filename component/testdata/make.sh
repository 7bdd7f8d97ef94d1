#!/bin/sh
# Makes binaries of the components in text, beside them or in the folder OUT, at the path that they have in the repository.
set -eu
cd "$(dirname "$0")"
root="$(cd ../.. && pwd)"
out="${OUT:-$root}/component/testdata"
for source in valid/*.wat refused/*.wat; do
  mkdir -p "$out/$(dirname "$source")"
  "${WASM_TOOLS:-$root/bin/wasm-tools/bin/wasm-tools}" parse "$source" --output "$out/${source%.wat}.wasm"
done
