package canister_test

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestAMessageStopsAtItsInstructionLimit(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Limits.Message, p.Subnet.Limits.Query = 5_000_000, 1_000_000
	c := p.Scriptable()
	program := canistertest.Script().Count(1).Busy(1 << 40)
	out := p.Run(c, program)
	failed(t, c, out, intercanister.CanisterInstructionLimitExceeded, "Canister exceeded the limit of 5000000 instructions for single message execution.")
	if out.Instructions != 5_000_000 {
		t.Errorf("charged are %d", out.Instructions)
	}
	failed(t, c, p.Query(c, "query", program.Bytes()), intercanister.CanisterInstructionLimitExceeded, "Canister exceeded the limit of 1000000 instructions for single message execution.")
	out = c.Execute(&p.Subnet, &canister.Message{Context: canister.ReplicatedQuery, Method: "query", Payload: program.Bytes()})
	failed(t, c, out, intercanister.CanisterInstructionLimitExceeded, "Canister exceeded the limit of 1000000 instructions for single message execution.")
	if n := number(t, p.Run(c, canistertest.Script().Get().ReplyInt())); n != 0 {
		t.Errorf("the register is %d", n)
	}
}

func TestALongMessagePausesWithoutVisibleEffects(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Limits.PauseAfter = 3_000_000
	c := prepared(t, p)
	before := take(t, p, c)
	pauses := 0
	program := change().Busy(2_000_000).ReplyText("done")
	m := canister.Message{Context: canister.Update, Method: "run", Payload: program.Bytes(), Caller: canistertest.User, Pause: func() {
		pauses++
		if got := take(t, p, c); got != before {
			t.Errorf("in the middle of the message:\n%+v, want\n%+v", got, before)
		}
	}}
	out := c.Execute(&p.Subnet, &m)
	if got := string(reply(t, out)); got != "done" {
		t.Errorf("the reply is %q", got)
	}
	if want := int(out.Instructions / 4_000_000); pauses < want || pauses > int(out.Instructions/2_000_000) {
		t.Errorf("%d pauses in %d instructions", pauses, out.Instructions)
	}
	if got := take(t, p, c); got.register != 8 || got.heap == before.heap {
		t.Errorf("after the message: %+v", got)
	}
}

func TestAMessagePausesEveryFiftyMillionInstructions(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	for turns, want := range map[uint64]int{4_000_000: 0, 6_000_000: 1, 9_000_000: 1, 11_000_000: 2} { // of ten instructions
		pauses := 0
		program := canistertest.Script().Busy(turns).ReplyText("done")
		reply(t, c.Execute(&p.Subnet, &canister.Message{
			Context: canister.Update, Method: "run", Payload: program.Bytes(), Caller: canistertest.User, Pause: func() { pauses++ },
		}))
		if pauses != want {
			t.Errorf("a message of %d instructions pauses %d times, want %d", 10*turns, pauses, want)
		}
	}
}

func TestTheHeapLimitHoldsInUpdatesAndNotInCallbacksTasksAndQueries(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	heap := c.MemoryUsage().Heap
	c.Settings.WasmMemoryLimit = heap + 1<<16
	grow := canistertest.Script().Grow(2).ReplyInt()
	out := p.Run(c, grow)
	failed(t, c, out, intercanister.CanisterWasmMemoryLimitExceeded, fmt.Sprintf("Canister exceeded its current Wasm memory limit of %d bytes. The peak Wasm memory usage was %d bytes. "+
		"If the canister reaches 4GiB, then it may stop functioning and may become unrecoverable. Please reach out to the canister owner to investigate the reason for the increased memory usage. "+
		"It might be necessary to move data from the Wasm memory to the stable memory. If such high Wasm memory usage is expected and safe, then the developer can increase the Wasm memory limit in the canister settings.",
		heap+1<<16, heap+2<<16))
	if c.MemoryUsage().Heap != heap {
		t.Errorf("the heap has %d bytes after a growth that failed", c.MemoryUsage().Heap)
	}
	number(t, p.Query(c, "query", grow.Bytes()))
	number(t, c.Execute(&p.Subnet, &canister.Message{Context: canister.ReplicatedQuery, Method: "query", Payload: grow.Bytes()}))
	call := makeCall(t, p, c, canistertest.Call{OnReply: grow})
	number(t, answer(p, c, call, ""))
	if c.MemoryUsage().Heap != heap+2<<16 {
		t.Errorf("the heap has %d bytes after a callback grew it", c.MemoryUsage().Heap)
	}
}

func TestAMessageTouchesOnlySoMuchStableMemory(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	reply(t, p.Run(c, canistertest.Script().StableGrow(100).Drop().Reply(nil)))
	p.Subnet.Limits.StablePages, p.Subnet.Limits.StablePagesQuery, p.Subnet.Limits.StablePagesInstall = 8, 4, 100
	const before = "Canister exceeded memory access limits: Exceeded the limit for the number of "
	read := func(pages uint64) *canistertest.Program {
		return canistertest.Script().StableRead(0, pages*4096).Drop().Reply(nil)
	}
	reply(t, p.Run(c, read(8)))
	failed(t, c, p.Run(c, read(9)), intercanister.CanisterMemoryAccessLimitExceeded,
		before+"accessed pages in the stable memory in a single message execution: limit 32 KB for regular messages and 16 KB for queries.")
	reply(t, p.Query(c, "query", read(4).Bytes()))
	failed(t, c, p.Query(c, "query", read(5).Bytes()), intercanister.CanisterMemoryAccessLimitExceeded,
		before+"accessed pages in the stable memory in a single message execution: limit 32 KB for regular messages and 16 KB for queries.")
	again := canistertest.Script().StableRead(0, 8*4096).Drop().StableWrite(0, make([]byte, 8*4096)).StableRead(100, 5000).Drop().Reply(nil)
	reply(t, p.Run(c, again))
}

func TestSmallStableFunctionsRefuseABigMemory(t *testing.T) {
	p := canistertest.NewPlace(t)
	for name, call := range map[string]string{
		"stable_size": "(drop (call $f))", "stable_grow": "(drop (call $f (i32.const 1)))",
		"stable_read": "(call $f (i32.const 0) (i32.const 0) (i32.const 1))", "stable_write": "(call $f (i32.const 0) (i32.const 0) (i32.const 1))",
	} {
		var types string
		for _, f := range systemFunctions() {
			if f.name == name {
				types = fmt.Sprintf("(param %s) (result %s)", watTypes(f.params, false), watTypes(f.results, false))
			}
		}
		c := p.Canister(p.Wat(fmt.Sprintf(`(module (import "ic0" %q (func $f %s)) (import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
			(memory 1) (func (export "canister_update u") %s) (func (export "canister_update grow") (drop (call $grow (i64.const 65537)))))`, name, types, call)), nil)
		p.Update(c, "grow", nil)
		failed(t, c, p.Update(c, "u", nil), intercanister.CanisterTrapped, "Canister trapped: 32 bit stable memory api used on a memory larger than 4GB")
	}
}

func TestAnswersAreAsLongAsTheyMayBe(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	long := func(n int) []byte { return canistertest.Script().Reply(make([]byte, n)).Bytes() }
	reply(t, p.Update(c, "run", long(2<<20)))
	failed(t, c, p.Update(c, "run", long(2<<20+1)), intercanister.CanisterContractViolation,
		"Canister violated contract: ic0.msg_reply_data_append: application payload size (2097153) cannot be larger than 2097152.")
	reply(t, p.Query(c, "query", long(3<<20)))
	failed(t, c, p.Query(c, "query", long(3<<20+1)), intercanister.CanisterContractViolation,
		"Canister violated contract: ic0.msg_reply_data_append: application payload size (3145729) cannot be larger than 3145728.")
	failed(t, c, p.Run(c, canistertest.Script().Blob([]byte{0xff}).RejectBlob()), intercanister.CanisterContractViolation,
		"Canister violated contract: ic0.msg_reject: invalid UTF-8 string provided")
	failed(t, c, p.Run(c, canistertest.Script().Certify(make([]byte, 33))), intercanister.CanisterContractViolation,
		"Canister violated contract: ic0_certified_data_set failed because the passed data must be no larger than 32 bytes. Found 33 bytes.")
	out := p.Run(c, canistertest.Script().Reject("no thanks"))
	if out.Failure != nil || out.Response.Reject == nil || out.Response.Reject.Message() != "no thanks" || out.Response.Reject.Code != intercanister.CanisterReject {
		t.Errorf("an explicit reject is %+v", out.Response)
	}
}

func TestATextTooLongLosesItsMiddle(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	text := make([]byte, 40_000)
	for i := range text {
		text[i] = byte('a' + i%26)
	}
	out := p.Run(c, canistertest.Script().Trap(string(text)))
	before := "Error from Canister " + c.ID.String() + ": Canister called `ic0.trap` with message: '"
	after := "'.\nConsider gracefully handling failures from this canister or altering the canister to handle exceptions. " +
		"See documentation: https://internetcomputer.org/docs/current/references/execution-errors#trapped-explicitly"
	whole := before + string(text[:32<<10]) + after
	if want := whole[:4096] + "..." + whole[len(whole)-4093:]; out.Failure.Text != want {
		t.Errorf("the text has %d bytes, want %d:\n%s", len(out.Failure.Text), len(want), out.Failure.Text)
	}
}
