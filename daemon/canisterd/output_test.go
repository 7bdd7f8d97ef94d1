package main

import (
	"bytes"
	"testing"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestABacktraceSaysWhatTheTextOfARejectDoesNot(t *testing.T) {
	function := &controlv1.Frame{CanisterId: "ledger", Function: "ic_trap", CallContext: 3}
	method := &controlv1.Frame{CanisterId: "ledger", Function: "record\x1b", CallContext: 3}
	query := &controlv1.Frame{CanisterId: "ledger", Function: "total"}
	caller := &controlv1.Frame{CanisterId: "counter", Function: "add", CallContext: 2}
	const title = "trapped\nCanister Backtrace:\nic_trap\n"
	for _, test := range []struct {
		text   string
		frames []*controlv1.Frame
		want   string
	}{
		{"trapped", nil, ""},
		{"trapped", []*controlv1.Frame{method}, ""},
		{title, []*controlv1.Frame{function, method}, ""},
		{"trapped", []*controlv1.Frame{function, method}, "backtrace, innermost first:\n  ic_trap\nin ledger.record·, call context 3\n"},
		{title, []*controlv1.Frame{function, method, caller}, "backtrace, innermost first:\n  ic_trap\nin ledger.record·, call context 3\nin counter.add, call context 2\n"},
		{"trapped", []*controlv1.Frame{query, query}, "backtrace, innermost first:\n  total\nin ledger.total\n"},
	} {
		var out bytes.Buffer
		c := &cli{err: &out}
		c.backtrace(&remote.Reject{Reject: &controlv1.Reject{Text: test.text, Backtrace: test.frames}})
		if out.String() != test.want {
			t.Errorf("of %q with %d frames is written\n%swant\n%s", test.text, len(test.frames), &out, test.want)
		}
	}
}
