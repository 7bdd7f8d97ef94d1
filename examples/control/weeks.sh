#!/bin/sh
# Drives a daemon with nothing but grpcurl, which learns the API from the daemon itself (reflection).
#
#     canisterd start              # in another shell
#     sh examples/control/weeks.sh
set -eu
daemon=${1:-127.0.0.1:4943}
module=${2:-test/canistertest/fixtures/clock.wasm}
api=canisterd.control.v1

call() { grpcurl -plaintext -d "$2" "$daemon" "$api.$1"; }
# The value of a field that occurs once and is a string.
field() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" | head -n 1; }

grpcurl -plaintext "$daemon" list
instance=weeks-$$
call Instances/CreateInstance "{\"instance\": \"$instance\", \"pacing\": {\"mode\": \"PACING_MODE_MANUAL\"}}" >/dev/null
trap 'call Instances/DeleteInstance "{\"instance\": \"$instance\"}" >/dev/null' EXIT

canister=$(call Canisters/CreateCanister "{\"instance\": \"$instance\"}" | field canisterId)
{
	echo "{\"head\": {\"instance\": \"$instance\", \"canisterId\": \"$canister\"}}"
	echo "{\"chunk\": \"$(base64 <"$module" | tr -d '\n')\"}"
} | grpcurl -plaintext -d @ "$daemon" $api.Canisters/InstallCode

day=86400000000000
call Calls/Update "{\"instance\": \"$instance\", \"call\": {\"canisterId\": \"$canister\", \"method\": \"start\", \"argument\": {\"text\": \"($day)\"}}}" >/dev/null
call Clock/AdvanceTime "{\"instance\": \"$instance\", \"duration\": \"2419200s\"}"
call Calls/Query "{\"instance\": \"$instance\", \"call\": {\"canisterId\": \"$canister\", \"method\": \"count\", \"replyForm\": \"FORM_TEXT\"}}"
