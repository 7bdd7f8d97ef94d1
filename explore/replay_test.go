package explore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/explore"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// fetcher has the method ask, which makes an HTTP outcall and replies with the encoded response. The format takes the
// argument of http_request as escaped bytes, and its length.
const fetcher = `(module
	(import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(import "ic0" "msg_arg_data_copy" (func $copy (param i32 i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_data_append" (func $data (param i32 i32)))
	(import "ic0" "call_cycles_add128" (func $cycles (param i64 i64)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory (export "memory") 1)
	(data (i32.const 100) "http_request")
	(data (i32.const 200) "%s")
	(table funcref (elem $answered))
	(func $answered (param i32)
		(call $copy (i32.const 1000) (i32.const 0) (call $size)) (call $append (i32.const 1000) (call $size)) (call $reply))
	(func (export "canister_update ask")
		(call $new (i32.const 0) (i32.const 0) (i32.const 100) (i32.const 12) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
		(call $data (i32.const 200) (i32.const %d))
		(call $cycles (i64.const 0) (i64.const 100_000_000_000))
		(if (call $perform) (then (unreachable)))))`

// fetching returns an operation that makes an HTTP outcall, and its network.
func fetching(t *testing.T) (*canisterd.IC, explore.Option) {
	t.Helper()
	arg, err := candid.ParseArgs(`(record { url = "https://example.com/"; method = variant { get }; headers = vec {} })`)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := candid.EncodeValues(arg...)
	if err != nil {
		t.Fatal(err)
	}
	var escaped strings.Builder
	for _, b := range encoded {
		fmt.Fprintf(&escaped, `\%02x`, b)
	}
	module, err := wat.Assemble(fmt.Sprintf(fetcher, escaped.String(), len(encoded)))
	if err != nil {
		t.Fatal(err)
	}
	ic := canisterd.New(t)
	c, err := ic.Network.DeployModule(t.Context(), module, canisterd.Named("fetcher"))
	if err != nil {
		t.Fatal(err)
	}
	return ic, explore.Op(c, "ask")
}

func TestAReplayWithAnAnswerThatWasNotGivenIsRefused(t *testing.T) {
	ic, ask := fetching(t)
	one := explore.OutcallAnswer{Status: 200}
	for want, c := range map[string]struct {
		position int
		answers  []explore.OutcallAnswer
	}{
		"":                     {0, []explore.OutcallAnswer{one}},
		"answer 2: expected 1": {1, []explore.OutcallAnswer{one}},
		"answer 0: expected 1": {-1, []explore.OutcallAnswer{one}},
		"but none were given":  {1, nil},
	} {
		s := &explore.Schedule{Faults: []explore.FaultAt{{At: "op1/1.request", Kind: explore.OtherAnswer, Answer: c.position}}}
		_, err := explore.Replay(t.Context(), ic.Network, s, ask, explore.Outcalls(c.answers...))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("answer %d of %d: %v, want %q", c.position, len(c.answers), err, want)
		}
	}
}

func TestAReplayAnswersOutcallsAsItsFileSays(t *testing.T) {
	ic, ask := fetching(t)
	t.Chdir(t.TempDir())
	run := func(answers ...explore.OutcallAnswer) string {
		r := &recorder{TB: t}
		explore.Run(r, ic.Network, ask, explore.OnlyStated(), explore.Faults(1, explore.OtherAnswer), explore.Outcalls(answers...),
			explore.Holds("the rate is 7", func(s *explore.State) error {
				if a := s.Answers(); len(a) == 1 && !strings.Contains(string(a[0].Reply), "rate 7") {
					return errors.New("it is another")
				}
				return nil
			}))
		return strings.Join(r.errors, "\n")
	}
	good, bad := explore.OutcallAnswer{Status: 200, Body: []byte("rate 7")}, explore.OutcallAnswer{Status: 200, Body: []byte("rate 0")}
	if text := run(good, bad); !strings.Contains(text, "has answer 2 of the list") {
		t.Fatalf("the first test fails with %q", text)
	}
	if text := run(good); !strings.Contains(text, "the bug is still there") || !strings.Contains(text, "answer to op1, fetcher.ask()") {
		t.Errorf("the test with one answer fails with %q", text)
	}
}
