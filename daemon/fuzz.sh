#!/bin/sh
# Runs every fuzz target of the repository for FUZZTIME each. A finding is kept
# under the package's testdata/fuzz, where go test runs it from then on.
set -eu
: "${GO:=go}" "${FUZZTIME:=10s}"
for package in $($GO list ./...); do
  for target in $($GO test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
    echo "$package $target"
    $GO test -run '^$' -fuzz "^$target\$" -fuzztime "$FUZZTIME" "$package"
  done
done
