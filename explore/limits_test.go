package explore_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/explore"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// reminder is a canister whose timer fires each minute, beginning a minute after its method was called.
const reminder = `(module
	(import "ic0" "time" (func $time (result i64)))
	(import "ic0" "global_timer_set" (func $set (param i64) (result i64)))
	(import "ic0" "msg_reply" (func $reply))
	(func $later (drop (call $set (i64.add (call $time) (i64.const 60_000_000_000)))))
	(func (export "canister_update remind") (call $later) (call $reply))
	(func (export "canister_global_timer") (call $later)))`

// once makes one run, in FIFO order.
func once(options ...explore.Option) []explore.Option {
	return append(options, explore.Only("fifo"), explore.Budget(1), explore.OnlyStated())
}

func TestARunGoesOnAtTheNextTimerFourTimesOrAsOftenAsTheOptionSays(t *testing.T) {
	module, err := wat.Assemble(reminder)
	if err != nil {
		t.Fatal(err)
	}
	ic := canisterd.New(t)
	c, err := ic.Network.DeployModule(t.Context(), module, canisterd.Named("reminder"))
	if err != nil {
		t.Fatal(err)
	}
	remind := explore.Op(c, "remind")
	for name, e := range map[string]struct {
		options  []explore.Option
		messages int
	}{
		"without the option": {once(remind), 1 + 4},
		"never":              {once(remind, explore.Waits(0)), 1},
		"1,000 times":        {once(remind, explore.Waits(1000)), 1 + 1000},
	} {
		report, err := explore.Explore(t.Context(), ic.Network, e.options...)
		if err != nil || report.Messages != e.messages {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
}

func TestWaitsAndFaultsAreLimited(t *testing.T) {
	ic, bank, _ := bank(t, "careful.wasm")
	for _, e := range []struct {
		option  explore.Option
		refused string
	}{
		{explore.Waits(1000), ""},
		{explore.Waits(1001), "invalid number of waits 1001: expected 0 to 1000"},
		{explore.Faults(8), ""},
		{explore.Faults(9), "invalid number of faults 9: expected 0 to 8"},
	} {
		_, err := explore.Explore(t.Context(), ic.Network, once(explore.Op(bank, "withdraw", 100), e.option)...)
		if (err == nil) != (e.refused == "") || err != nil && err.Error() != e.refused {
			t.Errorf("the error is %v, want %q", err, e.refused)
		}
	}
}

func TestArgumentsAreCutInTheTitleOfAnOperation(t *testing.T) {
	ic, bank, _ := bank(t, "careful.wasm")
	for letters, want := range map[int]string{
		56: `bank.open("` + strings.Repeat("a", 56) + `")`,
		57: `bank.open("` + strings.Repeat("a", 57) + `…`,
	} {
		operation := explore.Op(bank, "open", strings.Repeat("a", letters))
		report, err := explore.Explore(t.Context(), ic.Network, once(operation)...)
		if err != nil || report.Operations[0].Title != want {
			t.Errorf("%d letters: %+v, %v", letters, report, err)
		}
	}
}
