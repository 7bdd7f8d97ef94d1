package canister_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
)

var callee = principal.Canister(77)

// makeCall runs an update that makes one call.
func makeCall(t *testing.T, p *canistertest.Place, c *canister.Canister, call canistertest.Call) canister.Call {
	t.Helper()
	call.Callee = callee
	out := p.Run(c, canistertest.Script().Call(call).ReplyInt())
	if n := number(t, out); n != 0 {
		t.Fatalf("the call was not performed: %d", n)
	}
	if len(out.Calls) != 1 {
		t.Fatalf("%d calls were made", len(out.Calls))
	}
	return out.Calls[0]
}

// answer runs the reply callback of a call.
func answer(p *canistertest.Place, c *canister.Canister, call canister.Call, payload string) canister.Outcome {
	return c.Execute(&p.Subnet, &canister.Message{
		Context: canister.ReplyCallback, Closure: call.Reply, Cleanup: call.Cleanup, Caller: canistertest.User, Payload: []byte(payload),
	})
}

func TestACallIsWhatTheCanisterBuilt(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	seconds := uint64(1000)
	before := c.Balance
	call := makeCall(t, p, c, canistertest.Call{Method: "method", Arg: []byte("argument"), Cycles: 5000, Timeout: &seconds, OnCleanup: canistertest.Script()})
	want := intercanister.Request{
		Sender: c.ID, Receiver: callee, Method: "method", Payload: []byte("argument"), Cycles: cycles.Of(5000), Deadline: p.Subnet.Time + 300_000_000_000,
	}
	if call.Request.Method != want.Method || !bytes.Equal(call.Payload, want.Payload) || call.Sender != want.Sender || call.Receiver != want.Receiver ||
		call.Request.Cycles != want.Cycles || call.Request.Deadline != want.Deadline || call.Cleanup == nil {
		t.Errorf("the request is %+v, want %+v", call.Request, want)
	}
	price := p.Subnet.Fees.CallPrepayment(uint64(len("method")+len("argument")), p.Subnet.Limits.Message, false)
	if got := before.Sub(c.Balance); got != price.Add(cycles.Of(5000)) {
		t.Errorf("the call took %s cycles, want %s", got, price.Add(cycles.Of(5000)))
	}
	if got := call.Execution.Add(call.Transmission).Add(p.Subnet.Fees.CallTransmission(14)); got != price {
		t.Errorf("the parts of the price make %s, want %s", got, price)
	}
	if guaranteed := makeCall(t, p, c, canistertest.Call{}); guaranteed.Request.Deadline != 0 || guaranteed.Cleanup != nil {
		t.Errorf("a call with guaranteed response has deadline %d", guaranteed.Request.Deadline)
	}
}

func TestTheReplyCallbackReadsTheReplyAndAnswers(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	call := makeCall(t, p, c, canistertest.Call{OnReply: canistertest.Script().RejectCode().Drop().Refunded().ToInt().ToBlob().Append().Arg().ReplyTop()})
	out := c.Execute(&p.Subnet, &canister.Message{
		Context: canister.ReplyCallback, Closure: call.Reply, Caller: canistertest.User, Payload: []byte("pong"), Refunded: cycles.Of(9),
	})
	if got := string(reply(t, out)); got != "\x09\x00\x00\x00\x00\x00\x00\x00pong" {
		t.Errorf("the callback answered %q", got)
	}
}

func TestTheRejectCallbackReadsCodeAndText(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	call := makeCall(t, p, c, canistertest.Call{OnReject: canistertest.Script().RejectCode().ToBlob().Append().RejectMessage().ReplyTop()})
	for _, x := range []struct {
		reject *intercanister.Reject
		want   string
	}{
		{intercanister.Rejectf(intercanister.CanisterRejectedMessage, "no"), "\x04\x00\x00\x00\x00\x00\x00\x00no"},
		{intercanister.Rejectf(intercanister.CanisterNotFound, "Canister x not found"), "\x03\x00\x00\x00\x00\x00\x00\x00IC0301: Canister x not found"},
	} {
		out := c.Execute(&p.Subnet, &canister.Message{Context: canister.RejectCallback, Closure: call.Reject, Caller: canistertest.User, Reject: x.reject})
		if got := string(reply(t, out)); got != x.want {
			t.Errorf("the callback saw %q, want %q", got, x.want)
		}
		call = makeCall(t, p, c, canistertest.Call{OnReject: canistertest.Script().RejectCode().ToBlob().Append().RejectMessage().ReplyTop()})
	}
}

func TestACallbackOfAnAnsweredContextCannotAnswerAgain(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	call := makeCall(t, p, c, canistertest.Call{OnReply: canistertest.Script().Reply(nil)})
	out := c.Execute(&p.Subnet, &canister.Message{Context: canister.ReplyCallback, Closure: call.Reply, Caller: canistertest.User, Responded: true})
	failed(t, c, out, intercanister.CanisterContractViolation, "Canister violated contract: ic0.msg_reply_data_append: the call is already replied.")
}

func TestATrapInACallbackRunsItsCleanupOnTheStateBefore(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	call := makeCall(t, p, c, canistertest.Call{
		OnReply:   change().Print("lost").Trap("oh"),
		OnCleanup: canistertest.Script().RejectCode().Set().Print("kept").HeapWrite(0, []byte("CLEANED")).Burn(3).Drop(),
	})
	before := take(t, p, c)
	out := answer(p, c, call, "")
	failed(t, c, out, intercanister.CanisterCalledTrap, "Canister called `ic0.trap` with message: 'oh'")
	before.heap, before.register = "CLEANEDfore\x00\x00\x00\x00\x00", 0
	before.version++
	before.balance = before.balance.Sub(cycles.Of(3))
	if got := take(t, p, c); got != before || !out.Cleaned {
		t.Errorf("after the cleanup:\n%+v, want\n%+v", got, before)
	}
	var texts []string
	for i := range c.Logs.Len() {
		first, _, _ := strings.Cut(string(c.Logs.At(i).Content), "\n")
		texts = append(texts, first)
	}
	if got := strings.Join(texts, ", "); got != "lost, [TRAP]: oh, kept" {
		t.Errorf("the log says %s", got)
	}
}

func TestATrapInACallbackWithoutCleanupLeavesTheStateBefore(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	call := makeCall(t, p, c, canistertest.Call{OnReply: change().Trap("oh")})
	before := take(t, p, c)
	out := answer(p, c, call, "")
	failed(t, c, out, intercanister.CanisterCalledTrap, "Canister called `ic0.trap` with message: 'oh'")
	if got := take(t, p, c); got != before || out.Cleaned {
		t.Errorf("after the callback:\n%+v, want\n%+v", got, before)
	}
}

func TestTwoTrapsMakeOneText(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	call := makeCall(t, p, c, canistertest.Call{OnReply: change().Trap("first"), OnCleanup: canistertest.Script().Int(8).Set().HeapWrite(0, []byte("x")).Fault()})
	before := take(t, p, c)
	out := answer(p, c, call, "")
	failed(t, c, out, intercanister.CanisterCalledTrap,
		"Canister called `ic0.trap` with message: 'first'\n\ncall_on_cleanup also failed:\n\nCanister trapped: unreachable")
	if got := take(t, p, c); got != before || out.Cleaned {
		t.Errorf("after both traps:\n%+v, want\n%+v", got, before)
	}
}

func TestAClosureThatIsNotAFunctionTrapsAndCleansUp(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	call := makeCall(t, p, c, canistertest.Call{OnCleanup: canistertest.Script().Int(55).Set()})
	const violated = "Canister violated contract: "
	for fn, text := range map[uint32]string{
		1000:       "Canister requested to invoke a non-existent Wasm function 1000 from table 0",
		0xffffffff: "Canister requested to invoke a non-existent Wasm function 4294967295 from table 0",
		1:          violated + "function invocation does not match its signature",
	} {
		call.Reply.Fn = fn
		out := answer(p, c, call, "")
		code := intercanister.CanisterFunctionNotFound
		if strings.HasPrefix(text, violated) {
			code = intercanister.CanisterContractViolation
		}
		failed(t, c, out, code, text)
		if !out.Cleaned {
			t.Errorf("closure %d did not clean up", fn)
		}
	}
	if n := number(t, p.Run(c, canistertest.Script().Get().ReplyInt())); n != 55 {
		t.Errorf("the register is %d", n)
	}
}

func TestACallbackLeavesItsCleanupFivePercent(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Limits.Message = 10_000_000
	c := p.Scriptable()
	call := makeCall(t, p, c, canistertest.Call{
		OnReply:   canistertest.Script().Busy(1 << 40),
		OnCleanup: canistertest.Script().Busy(10_000).Int(5).Set(),
	})
	out := answer(p, c, call, "")
	failed(t, c, out, intercanister.CanisterInstructionLimitExceeded, "Canister exceeded the limit of 10000000 instructions for single message execution.")
	if !out.Cleaned || out.Instructions <= 9_500_000 || out.Instructions > 10_000_000 {
		t.Errorf("%d instructions, cleaned up: %v", out.Instructions, out.Cleaned)
	}
	call = makeCall(t, p, c, canistertest.Call{OnReply: canistertest.Script().Busy(1 << 40), OnCleanup: canistertest.Script().Busy(1 << 40)})
	if out := answer(p, c, call, ""); out.Cleaned || out.Instructions != 10_000_000 {
		t.Errorf("%d instructions, cleaned up: %v", out.Instructions, out.Cleaned)
	}
	call = makeCall(t, p, c, canistertest.Call{OnReply: canistertest.Script().Busy(1 << 40)})
	if out := answer(p, c, call, ""); out.Instructions != 9_500_000 {
		t.Errorf("the callback alone may execute %d instructions", out.Instructions)
	}
}

func TestCallsAreMadeInOrderAndUnfinishedOnesAreDropped(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	program := canistertest.Script()
	for i := range byte(5) {
		program.Call(canistertest.Call{Callee: callee, Arg: []byte{i}}).Drop()
	}
	out := p.Run(c, program.Reply(nil))
	reply(t, out)
	if len(out.Calls) != 5 {
		t.Fatalf("%d calls", len(out.Calls))
	}
	for i, call := range out.Calls {
		if call.Payload[0] != byte(i) {
			t.Errorf("call %d is %v", i, call.Payload)
		}
	}
	before := c.Balance
	out = p.Run(c, unfinished(7000).Reply(nil))
	reply(t, out)
	if len(out.Calls) != 0 || c.Balance != before {
		t.Errorf("a call that was not performed: %d calls, %s cycles before, %s after", len(out.Calls), before, c.Balance)
	}
	out = p.Run(c, unfinished(7000).Call(canistertest.Call{Callee: callee}).ReplyInt())
	price := p.Subnet.Fees.CallPrepayment(uint64(len("run")), p.Subnet.Limits.Message, false)
	if number(t, out) != 0 || before.Sub(c.Balance) != price {
		t.Errorf("a call that was begun again took %s, want %s", before.Sub(c.Balance), price)
	}
}

// unfinished begins a call with cycles and does not perform it.
func unfinished(amount uint64) *canistertest.Program {
	p := canistertest.Script().Call(canistertest.Call{Callee: callee, Cycles: amount})
	code := p.Bytes()
	return canistertest.Script().Raw(code[:len(code)-1]...)
}

func TestACallWithoutRoomOrCyclesIsNotPerformed(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	twice := canistertest.Script().Call(canistertest.Call{Callee: callee}).ToBlob().Append().Call(canistertest.Call{Callee: callee}).ReplyInt()
	const plenty = 1 << 40
	for name, limits := range map[string]struct {
		room, callbacks int
		memory          uint64
	}{
		"one slot":                 {1, 10, plenty},
		"one callback":             {10, 1, plenty},
		"memory for one and a bit": {10, 10, 2*intercanister.ResponseReservation - 1},
	} {
		out := c.Execute(&p.Subnet, &canister.Message{
			Context: canister.Update, Method: "run", Payload: twice.Bytes(),
			Room: func(principal.Principal) int { return limits.room }, Callbacks: limits.callbacks, MessageRoom: limits.memory,
		})
		if got := reply(t, out); !bytes.Equal(got, []byte{0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}) || len(out.Calls) != 1 {
			t.Errorf("with %s: %v, %d calls", name, got, len(out.Calls))
		}
	}
	c.Balance = c.FreezingLimit(&p.Subnet).Add(cycles.Of(1_000_000))
	before := c.Balance
	out := p.Run(c, canistertest.Script().Call(canistertest.Call{Callee: callee, Cycles: 1000}).ReplyInt())
	if n := number(t, out); n != 2 || c.Balance != before {
		t.Errorf("without cycles: %d, balance %s, before %s", n, c.Balance, before)
	}
}

func TestWhatCallsMustNotDoTraps(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	big := make([]byte, 9<<20)
	for text, program := range map[string]*canistertest.Program{
		"Canister violated contract: ic0.call_perform called when no call is under construction.":                                                         canistertest.Script().Raw(0x65),
		"Canister violated contract: ic0_call_cycles_add128 called when no call is under construction.":                                                   canistertest.Script().Int(1).Raw(0x63),
		"Canister violated contract: ic0.call_data_append called when no call is under construction.":                                                     canistertest.Script().Text("x").Raw(0x61),
		"Canister violated contract: Size of method_name 20001 exceeds the allowed limit of 20000.":                                                       canistertest.Script().Call(canistertest.Call{Callee: callee, Method: strings.Repeat("m", 20001)}),
		"Canister provided invalid principal id":                                                                                                          canistertest.Script().Blob(make([]byte, 30)).Text("m").Text("").Text("").Raw(0x60),
		"Canister violated contract: Request to " + callee.String() + ":run has a payload size of 10485761, which exceeds the allowed limit of 10485760.": unfinished(0).Blob(big).Raw(0x61).Blob(big[:10485761-3-9<<20]).Raw(0x61),
		"Canister violated contract: ic0_call_with_best_effort_response failed because a timeout is already set.":                                         unfinished(0).Int(1).Raw(0x64).Int(1).Raw(0x64),
		"Canister violated contract: ic0.call_on_cleanup can be called at most once between `ic0.call_new` and `ic0.call_perform`":                        unfinished(0).Text("").Raw(0x62).Text("").Raw(0x62),
		"Canister " + c.ID.String() + " is out of cycles":                                                                                                 unfinished(1 << 62),
	} {
		failed(t, c, p.Run(c, program), intercanister.CanisterContractViolation, text)
	}
}
