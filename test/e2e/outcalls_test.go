//go:build clients

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// fetcher makes the HTTP outcall its argument says and replies with what it got.
const fetcher = `(module
	(import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(import "ic0" "msg_arg_data_copy" (func $copy (param i32 i32 i32)))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reject" (func $reject (param i32 i32)))
	(import "ic0" "msg_reject_msg_size" (func $text (result i32)))
	(import "ic0" "msg_reject_msg_copy" (func $copy_text (param i32 i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_data_append" (func $data (param i32 i32)))
	(import "ic0" "call_cycles_add" (func $cycles (param i64)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory 40)
	(table 2 funcref)
	(elem (i32.const 0) $replied $rejected)
	(data (i32.const 0) "http_request")
	(func $replied (param i32)
		(call $copy (i32.const 100) (i32.const 0) (call $size))
		(call $append (i32.const 100) (call $size))
		(call $reply))
	(func $rejected (param i32)
		(call $copy_text (i32.const 100) (i32.const 0) (call $text))
		(call $reject (i32.const 100) (call $text)))
	(func (export "canister_update fetch")
		(call $copy (i32.const 100) (i32.const 0) (call $size))
		(call $new (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 12) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0))
		(call $data (i32.const 100) (call $size))
		(call $cycles (i64.const 100_000_000_000))
		(drop (call $perform))))`

func TestACanisterOfTheBinaryReachesAServerUnlessOutcallsAreDenied(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "you asked for %s as %s", r.URL.Path, r.UserAgent())
	}))
	defer server.Close()
	for mode, want := range map[string]string{
		"allow":  "you asked for /news as ic/1.0",
		"deny":   "HTTP outcalls are denied on this network (canisterd start --outcalls=deny)",
		"strict": "Url need to specify https scheme",
	} {
		d := start(t, "--outcalls", mode, "--outcalls-local")
		id := d.command(t, "canister", "create")
		d.command(t, "canister", "install", id, assembled(t, fetcher))
		said, err := d.try("canister", "call", id, "fetch", `(record { url = "`+server.URL+`/news"; method = variant { get }; headers = vec {} })`)
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, want) {
			t.Errorf("%s: %s\nwant %s", mode, said, want)
		}
	}
}

func TestACanisterOfTheBinaryDoesNotReachThisMachineUnlessTheServerIsNamed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "for this machine alone") }))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	for _, row := range []struct {
		flags []string
		want  string
	}{
		{nil, "The outcall to " + address + " is refused: 127.0.0.1 is an address of this machine or of its networks. Allow all of them with --outcalls-local, or this server with --outcalls-target " + address},
		{[]string{"--outcalls-target", address}, "for this machine alone"},
		{[]string{"--outcalls-target", "10.0.0.0/8,127.0.0.1:1"}, "is refused"},
	} {
		d := start(t, row.flags...)
		id := d.command(t, "canister", "create")
		d.command(t, "canister", "install", id, assembled(t, fetcher))
		said, err := d.try("canister", "call", id, "fetch", `(record { url = "`+server.URL+`"; method = variant { get }; headers = vec {} })`)
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, row.want) {
			t.Errorf("%v: %s\nwant %s", row.flags, said, row.want)
		}
	}
}
