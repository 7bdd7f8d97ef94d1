package canister_test

import (
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
)

func TestModulesThatDifferInDataSegmentsAloneHaveTheirOwn(t *testing.T) {
	p := canistertest.NewPlace(t)
	of := func(data string) string {
		return `(module
			(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
			(import "ic0" "msg_reply" (func $reply))
			(memory 1) (data (i32.const ` + data + `)
			(func (export "canister_query read") (call $append (i32.const 0) (i32.const 4)) (call $reply)))`
	}
	for data, want := range map[string]string{`0) "one."`: "one.", `0) "two."`: "two.", `1) "one"`: "\x00one", `0) "on") (data (i32.const 2) "e."`: "one."} {
		if got := reply(t, p.Query(p.Canister(p.Wat(of(data)), nil), "read", nil)); string(got) != want {
			t.Errorf("the module with the data %s replies %q, want %q", data, got, want)
		}
	}
}
