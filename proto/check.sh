#!/bin/sh
# Checks that the .proto files are formatted, break no client, and that what is committed is made of them. What they
# make goes into a temporary folder: other programs read the tree at the same time.
set -eu
cd "$(dirname "$0")"

buf lint
buf format --diff --exit-code || { echo "proto: the .proto files are not formatted: run (cd proto && ../bin/tools/buf format -w)" >&2; exit 1; }
buf breaking --against released.binpb

made="$(mktemp -d)"
trap 'rm -rf "$made"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$made/api/control"
buf generate -o "$made/proto"
buf build --exclude-imports -o "$made/api/control/described.binpb"

# The files of both sides: one that nothing makes any more differs, too.
differs=0
for file in $({ (cd "$made" && find . -type f); (cd .. && find ./proto -name '*.pb.go'); } | sort -u); do
  if ! cmp -s "$made/$file" "../$file"; then
    echo "proto: ${file#./} is not what the .proto files make: run make proto, and commit it with them" >&2
    differs=1
  fi
done
exit "$differs"
