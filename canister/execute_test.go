package canister_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
)

// reply is what a message answered; it must have.
func reply(t *testing.T, out canister.Outcome) []byte {
	t.Helper()
	if out.Failure != nil {
		t.Fatalf("the message failed: %s", out.Failure)
	}
	if out.Response == nil || out.Response.Reject != nil {
		t.Fatalf("the message did not reply: %+v", out.Response)
	}
	return out.Response.Reply
}

func number(t *testing.T, out canister.Outcome) uint64 {
	t.Helper()
	return binary.LittleEndian.Uint64(reply(t, out))
}

// failed checks that a message failed with a code and a text, given without the canister
// before it and the advice after it.
func failed(t *testing.T, c *canister.Canister, out canister.Outcome, code intercanister.ErrorCode, text string) {
	t.Helper()
	if out.Failure == nil {
		t.Fatalf("the message did not fail with %s", text)
	}
	if out.Failure.Error != code || out.Failure.Code != code.Reject() {
		t.Errorf("the code is %s (%s), want %s", out.Failure.Error, out.Failure.Code, code)
	}
	got, ok := strings.CutPrefix(out.Failure.Text, "Error from Canister "+c.ID.String()+": ")
	if !ok {
		t.Errorf("the text %q does not begin with the canister", out.Failure.Text)
	}
	got, _, _ = strings.Cut(got, ".\n")
	got, _, _ = strings.Cut(got, "\nCanister Backtrace:")
	if got != text {
		t.Errorf("the text is %q, want %q", got, text)
	}
	if out.Response != nil || len(out.Calls) != 0 || !out.Accepted.IsZero() {
		t.Errorf("a failed message did something: %+v", out)
	}
}

// fingerprint is what a message must not change when it fails.
type fingerprint struct {
	heap, stable, certified string
	register                uint64
	timer, version          uint64
	balance                 cycles.Amount
	usage                   uint64
}

func take(t *testing.T, p *canistertest.Place, c *canister.Canister) fingerprint {
	t.Helper()
	u := c.MemoryUsage()
	return fingerprint{
		heap:      string(reply(t, p.Query(c, "query", canistertest.Script().HeapRead(0, 16).ReplyTop().Bytes()))),
		stable:    string(reply(t, p.Query(c, "query", canistertest.Script().StableRead(0, 16).ReplyTop().Bytes()))),
		register:  number(t, p.Query(c, "query", canistertest.Script().Get().ReplyInt().Bytes())),
		certified: string(c.Certified), timer: c.Timer, version: c.Version, balance: c.Balance, usage: u.Total() - u.Logs,
	}
}

// prepared is a scriptable canister with something in every kind of state.
func prepared(t *testing.T, p *canistertest.Place) *canister.Canister {
	t.Helper()
	c := p.Scriptable()
	reply(t, p.Run(c, canistertest.Script().StableGrow(1).Drop().StableWrite(0, []byte("stable before")).HeapWrite(0, []byte("heap before")).
		Int(7).Set().Timer(99).Drop().Certify([]byte("certified before")).Reply(nil)))
	return c
}

// change changes every kind of state.
func change() *canistertest.Program {
	return canistertest.Script().StableWrite(0, []byte("STABLE AFTER")).StableGrow(3).Drop().HeapWrite(0, []byte("HEAP AFTER")).Grow(2).Drop().
		Int(8).Set().Timer(100).Drop().Certify([]byte("CERTIFIED AFTER")).Burn(1000).Drop()
}

func TestAnUpdateKeepsAllItChanges(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	before := take(t, p, c)
	out := p.Run(c, change().ReplyText("done"))
	if got := string(reply(t, out)); got != "done" {
		t.Errorf("the reply is %q", got)
	}
	want := fingerprint{
		heap: "HEAP AFTERe\x00\x00\x00\x00\x00", stable: "STABLE AFTERe\x00\x00\x00", certified: "CERTIFIED AFTER",
		register: 8, timer: 100, version: before.version + 1, balance: before.balance.Sub(cycles.Of(1000)), usage: before.usage + 5<<16,
	}
	if got := take(t, p, c); got != want {
		t.Errorf("after an update:\n%+v, want\n%+v", got, want)
	}
	if c.Consumed.Burned != cycles.Of(1000) || out.Burned != cycles.Of(1000) {
		t.Errorf("burned are %s and %s", c.Consumed.Burned, out.Burned)
	}
}

func TestATrapLeavesNothingButItsLog(t *testing.T) {
	p := canistertest.NewPlace(t)
	for _, end := range []struct {
		program *canistertest.Program
		code    intercanister.ErrorCode
		text    string
		logged  string
	}{
		{change().Print("note").Trap("no"), intercanister.CanisterCalledTrap, "Canister called `ic0.trap` with message: 'no'", "[TRAP]: no"},
		{change().Print("note").Trap(""), intercanister.CanisterCalledTrap, "Canister called `ic0.trap` with message: ''", "[TRAP]: (no message)"},
		{change().Print("note").Fault(), intercanister.CanisterTrapped, "Canister trapped: unreachable", "[TRAP]: unreachable"},
		{change().Print("note").Int(1).Int(0).Div(), intercanister.CanisterTrapped, "Canister trapped: integer division by 0", "[TRAP]: integer division by 0"},
		{change().Print("note").Raw(0xff), intercanister.CanisterTrapped, "Canister trapped: table out of bounds", "[TRAP]: table out of bounds"},
		{change().Print("note").StableRead(1<<40, 1), intercanister.CanisterTrapped, "Canister trapped: stable memory out of bounds", "[TRAP]: stable memory out of bounds"},
		{
			change().Print("note").Reply(nil).Answer(), intercanister.CanisterContractViolation,
			"Canister violated contract: ic0.msg_reply: the call is already replied", "note",
		},
	} {
		c := prepared(t, p)
		before := take(t, p, c)
		out := p.Run(c, end.program)
		failed(t, c, out, end.code, end.text)
		if got := take(t, p, c); got != before {
			t.Errorf("after %s:\n%+v, want\n%+v", end.text, got, before)
		}
		last := c.Logs.At(c.Logs.Len() - 1)
		if got, _, _ := strings.Cut(string(last.Content), "\nCanister Backtrace:\n"); got != end.logged {
			t.Errorf("after %s the log ends with %q", end.text, got)
		}
		if got := string(c.Logs.At(0).Content); got != "note" {
			t.Errorf("after %s the log begins with %q", end.text, got)
		}
	}
}

func TestAQueryChangesNothing(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	before := take(t, p, c)
	program := canistertest.Script().StableWrite(0, []byte("STABLE AFTER")).HeapWrite(0, []byte("HEAP AFTER")).Int(8).Set().Print("unheard").HeapRead(0, 4).ReplyTop()
	for range 3 {
		if got := string(reply(t, p.Query(c, "query", program.Bytes()))); got != "HEAP" {
			t.Errorf("the query sees %q", got)
		}
	}
	if got := take(t, p, c); got != before {
		t.Errorf("after a query:\n%+v, want\n%+v", got, before)
	}
	if c.Logs.Len() != 0 {
		t.Errorf("a query logged %d records", c.Logs.Len())
	}
	failed(t, c, p.Query(c, "query", canistertest.Script().HeapWrite(0, []byte("x")).Trap("q").Bytes()), intercanister.CanisterCalledTrap, "Canister called `ic0.trap` with message: 'q'")
	if got := take(t, p, c); got != before {
		t.Errorf("after a query that trapped:\n%+v, want\n%+v", got, before)
	}
}

func TestAReplicatedQueryKeepsCyclesAndLogsAndNothingElse(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	before := take(t, p, c)
	program := canistertest.Script().StableWrite(0, []byte("STABLE AFTER")).HeapWrite(0, []byte("HEAP AFTER")).Int(8).Set().Accept(50).Drop().Print("heard").Reply(nil)
	out := c.Execute(&p.Subnet, &canister.Message{Context: canister.ReplicatedQuery, Method: "query", Payload: program.Bytes(), Caller: canistertest.User, Available: cycles.Of(80)})
	reply(t, out)
	before.balance, before.version = before.balance.Add(cycles.Of(50)), before.version+1
	if got := take(t, p, c); got != before || out.Accepted != cycles.Of(50) {
		t.Errorf("after a replicated query:\n%+v, want\n%+v", got, before)
	}
	if c.Logs.Len() != 1 || string(c.Logs.At(0).Content) != "heard" {
		t.Errorf("it logged %d records", c.Logs.Len())
	}
}

func TestAMessageSeesItsSurroundings(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	for name, x := range map[string]struct {
		program *canistertest.Program
		want    []byte
	}{
		"argument": {canistertest.Script().Arg().Length().ReplyInt(), binary.LittleEndian.AppendUint64(nil, uint64(len(canistertest.Script().Arg().Length().ReplyInt().Bytes())))},
		"caller":   {canistertest.Script().Caller().ReplyTop(), canistertest.User.Bytes()},
		"self":     {canistertest.Script().Self().ReplyTop(), c.ID.Bytes()},
		"subnet":   {canistertest.Script().Subnet().ReplyTop(), p.Subnet.ID.Bytes()},
		"time":     {canistertest.Script().Time().ReplyInt(), binary.LittleEndian.AppendUint64(nil, p.Subnet.Time)},
		"status":   {canistertest.Script().Status().ReplyInt(), binary.LittleEndian.AppendUint64(nil, 1)},
		"stranger": {canistertest.Script().Caller().IsController().ReplyInt(), make([]byte, 8)},
		"in here":  {canistertest.Script().InReplicated().ReplyInt(), binary.LittleEndian.AppendUint64(nil, 1)},
		"deadline": {canistertest.Script().Deadline().ReplyInt(), binary.LittleEndian.AppendUint64(nil, 0)},
	} {
		if got := reply(t, p.Run(c, x.program)); !bytes.Equal(got, x.want) {
			t.Errorf("%s is %x, want %x", name, got, x.want)
		}
	}
	if got := number(t, p.Query(c, "query", canistertest.Script().InReplicated().ReplyInt().Bytes())); got != 0 {
		t.Errorf("a query runs replicated")
	}
	if v := number(t, p.Run(c, canistertest.Script().Version().ReplyInt())); v != c.Version-1 {
		t.Errorf("the message saw version %d, after it the canister has %d", v, c.Version)
	}
	q, _ := c.PrepareQuery()
	defer q.Release()
	out := q.Run(&p.Subnet, &canister.Message{
		Context: canister.Query, Method: "query", Payload: canistertest.Script().Certificate().ReplyTop().Bytes(), Certificate: []byte("proof"),
	})
	if got := string(reply(t, out)); got != "proof" {
		t.Errorf("the certificate is %q", got)
	}
}

func TestAMethodThatIsNotThereIsNamed(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	failed(t, c, p.Update(c, "none", nil), intercanister.CanisterMethodNotFound, "Canister has no update method 'none'.")
	failed(t, c, p.Query(c, "none", nil), intercanister.CanisterMethodNotFound, "Canister has no query method 'none'.")
	if out := p.Update(c, "none", nil); !strings.HasSuffix(out.Failure.Text, "'none'..\nCheck that the method being called is exported by the target canister. "+
		"See documentation: https://internetcomputer.org/docs/current/references/execution-errors#method-not-found") {
		t.Errorf("the text is %q", out.Failure.Text)
	}
	empty := p.Empty()
	failed(t, empty, p.Update(empty, "run", nil), intercanister.CanisterWasmModuleNotFound, "Attempted to execute a message, but the canister contains no Wasm module.")
	failed(t, empty, p.Query(empty, "query", nil), intercanister.CanisterWasmModuleNotFound, "Attempted to execute a message, but the canister contains no Wasm module.")
}

func TestInspectMessageDecidesByItsProgram(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	ask := func(method string) canister.Outcome {
		q, _ := c.PrepareQuery()
		defer q.Release()
		return q.Run(&p.Subnet, &canister.Message{Context: canister.InspectMessage, Method: method, Caller: canistertest.User})
	}
	if out := ask("run"); !out.AcceptedIngress || out.Failure != nil {
		t.Errorf("without a program: %+v", out)
	}
	only := canistertest.Script().Method().Length().Int(3).Equal().If(canistertest.Script().Admit())
	reply(t, p.Run(c, canistertest.Script().Hook(canistertest.HookInspect, only).Reply(nil)))
	if out := ask("run"); !out.AcceptedIngress {
		t.Errorf("it refused: %v", out.Failure)
	}
	out := ask("other")
	if out.AcceptedIngress || out.Failure == nil || out.Failure.Error != intercanister.CanisterRejectedMessage ||
		out.Failure.Text != "Error from Canister "+c.ID.String()+": Canister rejected the message" {
		t.Errorf("it accepted, or said %v", out.Failure)
	}
}

func TestTasksRunTheirEntryPoints(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Module(canistertest.ScriptableHeartbeat()), canistertest.Script().
		Hook(canistertest.HookTimer, canistertest.Script().Count(1)).
		Hook(canistertest.HookHeartbeat, canistertest.Script().Count(10)).
		Hook(canistertest.HookLowMemory, canistertest.Script().Count(100)).Timer(5).Drop().Bytes())
	for _, context := range []canister.Context{canister.GlobalTimer, canister.Heartbeat, canister.LowMemory} {
		if !c.Module().Has(context) {
			t.Errorf("there is no %s", context)
		}
		if out := c.Execute(&p.Subnet, &canister.Message{Context: context, Responded: true}); out.Failure != nil {
			t.Errorf("%s: %s", context, out.Failure)
		}
	}
	if n := number(t, p.Run(c, canistertest.Script().Get().ReplyInt())); n != 111 {
		t.Errorf("the register is %d", n)
	}
	if c.Timer != 0 {
		t.Errorf("the timer that fired is still set, to %d", c.Timer)
	}
	if !slices.Contains(c.Module().Methods(), canister.Method{Kind: canister.CompositeQueryMethod, Name: "ask"}) {
		t.Errorf("the methods are %v", c.Module().Methods())
	}
}
