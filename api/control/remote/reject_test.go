package remote_test

import (
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
		{"trapped", []*controlv1.Frame{function, method}, "\nbacktrace, innermost first:\n  ic_trap\nin ledger.record·, call context 3"},
		{title, []*controlv1.Frame{function, method, caller}, "\nbacktrace, innermost first:\n  ic_trap\nin ledger.record·, call context 3\nin counter.add, call context 2"},
		{"trapped", []*controlv1.Frame{query, query}, "\nbacktrace, innermost first:\n  total\nin ledger.total"},
	} {
		reject := &remote.Reject{Reject: &controlv1.Reject{Code: 5, ErrorCode: "IC0503", Text: test.text, Backtrace: test.frames}}
		if want := "rejected with code 5 (IC0503): " + test.text + test.want; reject.Error() != want {
			t.Errorf("of %q with %d frames is said\n%s\nwant\n%s", test.text, len(test.frames), reject, want)
		}
	}
}
