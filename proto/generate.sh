#!/bin/sh
# Makes the Go code of the control API and of the protocol of workers, and what reflection serves, after a check that the .proto files are formatted and
# break no client. The results go to the packages that the sources name, in the repository or the folder OUT.
set -eu
cd "$(dirname "$0")"
root="$(cd .. && pwd)"
out="${OUT:-$root}"
PATH="$root/bin/tools:$PATH"

buf lint
buf format --diff --exit-code || { echo "proto: the .proto files are not formatted: run (cd proto && ../bin/tools/buf format -w)" >&2; exit 1; }
buf breaking --against released.binpb

mkdir -p "$out/api/control"
buf generate -o "$out"
buf build --exclude-imports --path control -o "$out/api/control/described.binpb"

find . -name '*.pb.go' | while read -r file; do
  if ! [ -e "$out/proto/$file" ]; then
    echo "proto: nothing makes ${file#./} any more: remove it" >&2
    exit 1
  fi
done
