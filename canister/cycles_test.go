package canister_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
)

// amount reads an amount the scriptable canister replied with.
func amount(t *testing.T, out canister.Outcome) cycles.Amount {
	t.Helper()
	b := reply(t, out)
	if len(b) != 16 {
		t.Fatalf("%d bytes are no amount", len(b))
	}
	return cycles.Amount{Lo: binary.LittleEndian.Uint64(b), Hi: binary.LittleEndian.Uint64(b[8:])}
}

func TestCyclesAreAcceptedUpToWhatIsOffered(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	before := c.Balance
	run := func(program *canistertest.Program) canister.Outcome {
		return c.Execute(&p.Subnet, &canister.Message{Context: canister.Update, Method: "run", Payload: program.Bytes(), Available: cycles.Of(100)})
	}
	if got := amount(t, run(canistertest.Script().Available().ReplyTop())); got != cycles.Of(100) {
		t.Errorf("available are %s", got)
	}
	out := run(canistertest.Script().Accept(30).Drop().Accept(1000).ReplyTop())
	if got := amount(t, out); got != cycles.Of(70) || out.Accepted != cycles.Of(100) || c.Balance != before.Add(cycles.Of(100)) {
		t.Errorf("accepted are %s and %s; the balance went from %s to %s", got, out.Accepted, before, c.Balance)
	}
	out = run(canistertest.Script().Accept(30).Drop().Balance().ReplyTop())
	if got := amount(t, out); got != before.Add(cycles.Of(130)) {
		t.Errorf("the balance the message sees lacks what it accepted: %s", got)
	}
	before = c.Balance
	out = run(canistertest.Script().Reply(nil).Accept(30).Drop().Print("x"))
	if reply(t, out); out.Accepted != cycles.Of(30) || c.Balance != before.Add(cycles.Of(30)) {
		t.Errorf("after the reply %s were accepted", out.Accepted)
	}
	before = c.Balance
	out = run(canistertest.Script().Accept(30).Drop().Trap("no"))
	if !out.Accepted.IsZero() || c.Balance != before {
		t.Errorf("a message that trapped accepted %s", out.Accepted)
	}
}

func TestBurningStopsAtTheFreezingLimit(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	liquid := c.Liquid(&p.Subnet)
	if got := amount(t, p.Run(c, canistertest.Script().Liquid().ReplyTop())); got != liquid {
		t.Errorf("liquid are %s, want %s", got, liquid)
	}
	if got := amount(t, p.Run(c, canistertest.Script().Burn(1<<62).ReplyTop())); got != liquid {
		t.Errorf("burned are %s, want %s", got, liquid)
	}
	if c.Balance != c.FreezingLimit(&p.Subnet) || c.Consumed.Burned != liquid {
		t.Errorf("the balance is %s, the freezing limit %s; %s are entered as burned", c.Balance, c.FreezingLimit(&p.Subnet), c.Consumed.Burned)
	}
}

func TestAmountsOver64BitsTrapTheOldFunctions(t *testing.T) {
	p := canistertest.NewPlace(t)
	for name, context := range map[string]canister.Context{
		"canister_cycle_balance": canister.Update, "msg_cycles_available": canister.Update, "msg_cycles_refunded": canister.ReplyCallback,
	} {
		c := p.Canister(p.Wat(fmt.Sprintf(`(module (import "ic0" %q (func $f (result i64))) (table 1 funcref) (elem (i32.const 0) $g)
			(func $u (export "canister_update u") (drop (call $f))) (func $g (param i32) (call $u)))`, name)), nil)
		for _, x := range []cycles.Amount{{Lo: 1 << 63}, {Hi: 1}} {
			c.Balance = x
			out := c.Execute(&p.Subnet, &canister.Message{Context: context, Method: "u", Available: x, Refunded: x})
			if x.Hi == 0 {
				if out.Failure != nil {
					t.Errorf("%s of %s: %v", name, x, out.Failure)
				}
				continue
			}
			failed(t, c, out, intercanister.CanisterTrapped, "Canister trapped: cycles amount exceeds 64-bit representation")
		}
	}
}

func TestTheCostFunctionsTellThePrices(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Keys = []canister.Key{{Name: "key_1", Nodes: 34}, {Name: "test_key_1", Nodes: 13}}
	c := p.Canister(p.Wat(`(module
		(import "ic0" "cost_call" (func $call (param i64 i64 i32))) (import "ic0" "cost_create_canister" (func $create (param i32)))
		(import "ic0" "cost_http_request" (func $http (param i64 i64 i32)))
		(import "ic0" "cost_sign_with_ecdsa" (func $ecdsa (param i32 i32 i32 i32) (result i32)))
		(import "ic0" "cost_sign_with_schnorr" (func $schnorr (param i32 i32 i32 i32) (result i32)))
		(import "ic0" "msg_reply_data_append" (func $append (param i32 i32))) (import "ic0" "msg_reply" (func $reply))
		(memory 1) (data (i32.const 1000) "key_1test_key_1")
		(func (export "canister_query q")
		  (call $call (i64.const 3) (i64.const 97) (i32.const 0)) (call $create (i32.const 16)) (call $http (i64.const 10) (i64.const 1000) (i32.const 32))
		  (i32.store8 (i32.const 80) (call $ecdsa (i32.const 1000) (i32.const 5) (i32.const 0) (i32.const 48)))
		  (i32.store8 (i32.const 81) (call $schnorr (i32.const 1005) (i32.const 10) (i32.const 1) (i32.const 64)))
		  (i32.store8 (i32.const 82) (call $ecdsa (i32.const 1000) (i32.const 5) (i32.const 2) (i32.const 90)))
		  (i32.store8 (i32.const 83) (call $schnorr (i32.const 1005) (i32.const 4) (i32.const 0) (i32.const 90)))
		  (call $append (i32.const 0) (i32.const 84)) (call $reply)))`), nil)
	got := reply(t, p.Query(c, "q", nil))
	fees := &p.Subnet.Fees
	for i, want := range []cycles.Amount{
		fees.CallPrepayment(100, p.Subnet.Limits.Message, false), cycles.Of(500_000_000_000),
		cycles.Of((3_000_000 + 60_000*13 + 400*10 + 800*1000) * 13), cycles.Of(26_153_846_153), cycles.Of(10_000_000_000),
	} {
		if a := (cycles.Amount{Lo: binary.LittleEndian.Uint64(got[16*i:]), Hi: binary.LittleEndian.Uint64(got[16*i+8:])}); a != want {
			t.Errorf("price %d is %s, want %s", i, a, want)
		}
	}
	if codes := got[80:84]; string(codes) != "\x00\x00\x01\x02" {
		t.Errorf("the codes are %v", codes)
	}
}

func TestGrowingChecksTheFreezingLimitAndSetsCyclesAside(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	c.Balance = c.FreezingLimit(&p.Subnet).Add(cycles.Of(1000))
	for _, program := range []*canistertest.Program{canistertest.Script().StableGrow(100), canistertest.Script().Grow(100)} {
		out := p.Run(c, program)
		failed(t, c, out, intercanister.InsufficientCyclesInMemoryGrow, "Canister cannot grow memory by 6553600 bytes due to insufficient cycles.")
		out = c.Execute(&p.Subnet, &canister.Message{Context: canister.Update, Method: "run", Payload: program.Bytes(), Caller: canistertest.Controller})
		if out.Failure == nil || !strings.Contains(out.Failure.Text, " additional cycles are required.") {
			t.Errorf("the controller is not told how many cycles are missing: %v", out.Failure)
		}
	}
	c.Balance = cycles.Of(canistertest.Balance)
	p.Subnet.MemoryUsed = 1 << 40
	reply(t, p.Run(c, canistertest.Script().StableGrow(100).Drop().Grow(100).Reply(nil)))
	aside := p.Subnet.Fees.Reservation(1<<40, 100<<16).Add(p.Subnet.Fees.Reservation(1<<40+100<<16, 100<<16))
	if c.Reserved != aside || c.Balance != cycles.Of(canistertest.Balance).Sub(aside) || aside.IsZero() {
		t.Errorf("reserved are %s, want %s", c.Reserved, aside)
	}
	c.Settings.ReservedLimit = c.Reserved
	out := p.Run(c, canistertest.Script().Grow(1))
	if out.Failure == nil || out.Failure.Error != intercanister.ReservedCyclesLimitExceededInMemoryGrow || !strings.Contains(out.Failure.Text, "due to its reserved cycles limit. The current limit (") {
		t.Errorf("over the reserved limit: %v", out.Failure)
	}
	p.Subnet.MemoryUsed = p.Subnet.Limits.SubnetMemory
	out = p.Run(c, canistertest.Script().Grow(1))
	failed(t, c, out, intercanister.CanisterOutOfMemory, "Canister cannot grow its memory usage.")
	if n := number(t, p.Run(c, canistertest.Script().StableGrow(1).ReplyInt())); n != 1<<64-1 {
		t.Errorf("stable memory grew on a full subnet: %d", n)
	}
	c.Settings.MemoryAllocation = 1 << 30
	if n := number(t, p.Run(c, canistertest.Script().StableGrow(1).ReplyInt())); n != 100 {
		t.Errorf("with an allocation it does not grow: %d", int64(n))
	}
}
