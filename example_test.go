package canisterd_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/candid/principal"
)

// The modules of the examples, compiled from the Motoko and Rust sources beside them.
const (
	counterWasm   = "test/canistertest/fixtures/counter.wasm"
	callerWasm    = "test/canistertest/fixtures/caller.wasm"
	clockWasm     = "test/canistertest/fixtures/clock.wasm"
	branchWasm    = "test/canistertest/fixtures/class/branch.wasm"
	outcallerWasm = "test/canistertest/fixtures/outcaller.wasm"
	bankWasm      = "examples/doublewithdraw/bank.wasm"
	vaultWasm     = "examples/doublewithdraw/vault.wasm"
)

// t is what a test function has: in the examples it prints failures, and TestMain ends it.
var t = &exampleTB{}

type exampleTB struct{ ends []func() }

func (*exampleTB) Helper()                           {}
func (*exampleTB) Context() context.Context          { return context.Background() }
func (e *exampleTB) Cleanup(end func())              { e.ends = append(e.ends, end) }
func (*exampleTB) Fatalf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// A test function has t; here it is a variable of the file.
func ExampleNew() {
	ic := canisterd.New(t)
	counter := ic.Deploy(counterWasm)

	var n int
	if err := counter.Call(t.Context(), "add", 5, canisterd.Into(&n)); err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println(n)
	// Output: 5
}

// A program opens a network and closes it. Its methods return errors.
func ExampleOpen() {
	ctx := context.Background()
	network, err := canisterd.Open(ctx, canisterd.Seed("demo"), canisterd.Subnets(canisterd.NNS, canisterd.Application))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer network.Close()
	counter, err := network.Deploy(ctx, counterWasm)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(counter, counter.ID())
	// Output: counter dpmhk-ah77v-ljiv6-qaaaa-cai
}

// Arguments of the installation are Go values at the types of the module.
func ExampleIC_Deploy() {
	type terms struct {
		Limit      uint     `ic:"limit"`
		Currencies []string `ic:"currencies"`
	}
	ic := canisterd.New(t)
	office := canisterd.User("head office")
	branch := ic.Deploy(branchWasm, canisterd.Init(office, terms{500, []string{"CHF"}}), canisterd.Cycles(20*canisterd.T))

	var limit uint64
	var currency string
	if err := branch.Query(t.Context(), "about", canisterd.Into(&office, &limit, &currency)); err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println(limit, currency)
	// Output: 500 CHF
}

// A folder with a canisterd.yaml is deployed as by the command canisterd deploy.
func ExampleIC_DeployProject() {
	ic := canisterd.New(t)
	ic.DeployProject("examples/motoko")
	relay, greeter := ic.Canister("relay"), ic.Canister("greeter")

	reply, err := canisterd.Call[string](t.Context(), relay, "pass", greeter.ID().String(), "Ada")
	fmt.Println(reply, err)
	// Output: the greeter says: Hello, Ada! <nil>
}

// Records and variants are structs with tags.
func ExampleCanister_Call() {
	type withdrawn struct {
		Paid    *uint64 `ic:"paid,variant"`
		Refused *string `ic:"refused,variant"`
	}
	ctx := t.Context()
	ic := canisterd.New(t)
	bank, vault := ic.Deploy(bankWasm), ic.Deploy(vaultWasm)
	if err := bank.Call(ctx, "open", vault.ID().String()); err != nil {
		t.Fatalf("%v", err)
	}

	var result withdrawn
	if err := bank.Call(ctx, "withdraw", 100, canisterd.Into(&result)); err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println(*result.Refused)
	// Output: not enough money
}

// The result of a method that has one.
func ExampleCall() {
	counter := canisterd.New(t).Deploy(counterWasm)

	n, err := canisterd.Call[uint64](t.Context(), counter, "inc")
	fmt.Println(n, err)
	// Output: 1 <nil>
}

func ExampleQuery() {
	counter := canisterd.New(t).Deploy(counterWasm)

	n, err := canisterd.Query[int](t.Context(), counter, "get")
	fmt.Println(n, err)
	// Output: 0 <nil>
}

// Arguments and results may be Candid text.
func ExampleText() {
	counter := canisterd.New(t).Deploy(counterWasm)

	var reply canisterd.Text
	err := counter.Call(t.Context(), "add", canisterd.Text("(1_000)"), canisterd.Into(&reply))
	fmt.Println(reply, err)
	// Output: (1_000 : nat) <nil>
}

// A canister is called as any principal.
func ExampleCanister_As() {
	ctx := t.Context()
	ic := canisterd.New(t)
	bank := ic.Deploy(bankWasm)
	alice, bob := bank.As(canisterd.User("alice")), bank.As(canisterd.User("bob"))

	if err := alice.Call(ctx, "deposit", 100); err != nil {
		t.Fatalf("%v", err)
	}
	for _, user := range []*canisterd.Canister{alice, bob} {
		fmt.Println(canisterd.Query[int](ctx, user, "balance"))
	}
	// Output:
	// 100 <nil>
	// 0 <nil>
}

// A reject says why, and where the code of the canister failed.
func ExampleReject() {
	vault := canisterd.New(t).Deploy(vaultWasm)
	err := vault.Call(t.Context(), "transfer", canisterd.User("alice"), 2_000)

	var reject *canisterd.Reject
	if errors.As(err, &reject) {
		fmt.Println(reject.Code, reject.ErrorCode)
		for _, frame := range reject.Backtrace {
			fmt.Println(frame.Function)
		}
	}
	// Output:
	// CANISTER_ERROR IC0503
	// ic_trap
	// $lambda
	// transfer
	// transfer
}

// A week passes; each timer fires when it is due.
func ExampleIC_Advance() {
	ctx := t.Context()
	ic := canisterd.New(t)
	clock := ic.Deploy(clockWasm)
	if err := clock.Call(ctx, "start", 24*time.Hour); err != nil {
		t.Fatalf("%v", err)
	}

	ic.Advance(7*24*time.Hour + time.Hour)
	fmt.Println(canisterd.Query[int](ctx, clock, "count"))
	// Output: 7 <nil>
}

// The timers of canisters, and the time of the next one.
func ExampleIC_Timers() {
	ctx := t.Context()
	ic := canisterd.New(t, canisterd.StartAt(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	clock := ic.Deploy(clockWasm)
	if err := clock.Call(ctx, "start", time.Minute); err != nil {
		t.Fatalf("%v", err)
	}

	timer := ic.Timers()[0]
	fmt.Println(timer.Canister == clock.ID(), timer.Due.Format(time.TimeOnly))
	ic.AdvanceToTimer()
	fmt.Println(ic.Now().Format(time.TimeOnly))
	fmt.Println(canisterd.Query[int](ctx, clock, "count"))
	// Output:
	// true 00:01:00
	// 00:01:00
	// 1 <nil>
}

// The answer of one call is held until a second call has come in: a bank that checks the balance before an await, and
// changes it afterwards, pays twice.
func ExampleIC_Hold() {
	ctx := t.Context()
	ic := canisterd.New(t)
	bank, vault := ic.Deploy(bankWasm), ic.Deploy(vaultWasm)
	if err := errors.Join(bank.Call(ctx, "open", vault.ID().String()), bank.Call(ctx, "deposit", 100)); err != nil {
		t.Fatalf("%v", err)
	}

	held := ic.Hold(canisterd.Calls{Callee: vault, Stage: canisterd.Response})
	first, _ := bank.Submit(ctx, "withdraw", 100)
	held.Wait()
	second, _ := bank.Submit(ctx, "withdraw", 100)
	ic.Settle()
	fmt.Println(len(held.Messages()), "answers are held")
	held.Release()
	fmt.Println(first.Await(ctx), second.Await(ctx))
	fmt.Println(canisterd.Query[int](ctx, vault, "paidOut"))
	// Output:
	// 2 answers are held
	// <nil> <nil>
	// 200 <nil>
}

// Calls that are held are answered in the place of the callee.
func ExampleHeld_Reject() {
	ctx := t.Context()
	ic := canisterd.New(t)
	bank, vault := ic.Deploy(bankWasm), ic.Deploy(vaultWasm)
	if err := errors.Join(bank.Call(ctx, "open", vault.ID().String()), bank.Call(ctx, "deposit", 100)); err != nil {
		t.Fatalf("%v", err)
	}

	held := ic.Hold(canisterd.Calls{Callee: vault})
	withdrawal, _ := bank.Submit(ctx, "withdraw", 70)
	held.Wait()
	held.Reject("closed on Sundays")

	var answer canisterd.Text
	fmt.Println(withdrawal.Await(ctx, &answer), answer)
	// Output: <nil> (variant { refused = "the vault does not pay" })
}

// Calls are answered in the place of a canister, by rule.
func ExampleIC_AnswerCalls() {
	ctx := t.Context()
	ic := canisterd.New(t)
	counter, caller := ic.Deploy(counterWasm), ic.Deploy(callerWasm)

	rule := ic.AnswerCalls(canisterd.Calls{Caller: caller, Callee: counter, Method: "inc"}, 42)
	fmt.Println(canisterd.Call[int](ctx, caller, "bump", counter.ID().String()))
	rule.Release()
	fmt.Println(canisterd.Call[int](ctx, caller, "bump", counter.ID().String()))
	// Output:
	// 42 <nil>
	// 1 <nil>
}

// A fork goes on by itself.
func ExampleIC_Fork() {
	ctx := t.Context()
	ic := canisterd.New(t)
	counter := ic.Deploy(counterWasm)
	if err := counter.Call(ctx, "add", 5); err != nil {
		t.Fatalf("%v", err)
	}

	fork := ic.Fork()
	fmt.Println(canisterd.Call[int](ctx, fork.Canister("counter"), "inc"))
	fmt.Println(canisterd.Query[int](ctx, counter, "get"))
	// Output:
	// 6 <nil>
	// 5 <nil>
}

// A network goes back to a state that was kept.
func ExampleIC_Snapshot() {
	ctx := t.Context()
	ic := canisterd.New(t)
	counter := ic.Deploy(counterWasm)

	before := ic.Snapshot()
	if err := counter.Call(ctx, "add", 5); err != nil {
		t.Fatalf("%v", err)
	}
	ic.Restore(before)
	fmt.Println(canisterd.Query[int](ctx, counter, "get"))
	// Output: 0 <nil>
}

// A budget limits what a call of a method may take. The test fails at its end if one takes more; here, none has yet.
func ExampleIC_SetBudget() {
	ic := canisterd.New(t)
	counter := ic.Deploy(counterWasm)
	ic.SetBudget(counter, "add", 1_000_000)
	if err := counter.Call(t.Context(), "add", 5); err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println(ic.CheckBudgets())
	// Output: <nil>
}

// What a call did, as a tree.
func ExampleIC_Trace() {
	ctx := t.Context()
	ic := canisterd.New(t)
	counter, caller := ic.Deploy(counterWasm), ic.Deploy(callerWasm)

	call, err := caller.Submit(ctx, "bump", counter.ID().String())
	if err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println(call.Await(ctx))
	fmt.Println(ic.Trace(call))
	// Output:
	// <nil>
	// ingress 4e4a0703 to caller.bump
	// ├─ update                 round 6  46_037 instructions  5_092_074 cycles
	// │  └─ call #1 to counter.inc
	// │     ├─ update           round 6  21_343 instructions  5_042_686 cycles
	// │     └─ replied 8 bytes  round 6
	// ├─ reply callback of #1   round 6  26_442 instructions  5_052_884 cycles
	// └─ replied 8 bytes        round 6
}

// The balance of a canister, which it pays for its work.
func ExampleCanister_Cycles() {
	ctx := t.Context()
	counter := canisterd.New(t).Deploy(counterWasm, canisterd.Cycles(5*canisterd.T))

	before, _ := counter.Cycles(ctx)
	if err := counter.Call(ctx, "inc"); err != nil {
		t.Fatalf("%v", err)
	}
	after, _ := counter.Cycles(ctx)
	fmt.Println(before > after, before-after < canisterd.T)

	err := counter.SetCycles(ctx, 0)
	fmt.Println(err, counter.Call(ctx, "inc") != nil)
	// Output:
	// true true
	// <nil> true
}

// The log of a canister has its traps, too.
func ExampleCanister_Logs() {
	ctx := t.Context()
	caller := canisterd.New(t).Deploy(callerWasm)
	if err := caller.Call(ctx, "trapAtOnce"); err == nil {
		t.Fatalf("it replies")
	}

	lines, err := caller.Logs(ctx)
	fmt.Println(len(lines), err)
	// Output: 1 <nil>
}

// An upgrade keeps the state.
func ExampleCanister_Upgrade() {
	ctx := t.Context()
	counter := canisterd.New(t).Deploy(counterWasm)
	if err := counter.Call(ctx, "add", 5); err != nil {
		t.Fatalf("%v", err)
	}

	fmt.Println(counter.Upgrade(ctx, counterWasm))
	fmt.Println(canisterd.Query[int](ctx, counter, "get"))
	fmt.Println(counter.Reinstall(ctx, counterWasm))
	fmt.Println(canisterd.Query[int](ctx, counter, "get"))
	// Output:
	// <nil>
	// 5 <nil>
	// <nil>
	// 0 <nil>
}

// HTTP outcalls go to a handler of the test. This canister has a transform, which adds a mark.
func ExampleOutcalls() {
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s%s", r.Method, r.URL.Host, r.URL.Path)
	})
	ic := canisterd.New(t, canisterd.Outcalls(canisterd.Handler(server)))
	outcaller := ic.Deploy(outcallerWasm)

	type response struct {
		Status uint16 `ic:"status"`
		Body   []byte `ic:"body"`
	}
	type fetched struct {
		Ok  *response `ic:"Ok,variant"`
		Err *string   `ic:"Err,variant"`
	}
	got, err := canisterd.Call[fetched](t.Context(), outcaller, "fetch", "https://example.com/price")
	if err != nil || got.Err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println(got.Ok.Status, string(got.Ok.Body))
	// Output: 200 GET example.com/price!
}

// The management canister is called as any canister is.
func ExampleNetwork_Management() {
	type about struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	type status struct {
		Settings struct {
			FreezingThreshold uint64 `ic:"freezing_threshold"`
		} `ic:"settings"`
	}
	ic := canisterd.New(t)
	counter := ic.Deploy(counterWasm, canisterd.Controllers(canisterd.User("alice")))

	management := ic.Management().As(canisterd.User("alice"))
	got, err := canisterd.Call[status](t.Context(), management, "canister_status", about{counter.ID()})
	fmt.Println(got.Settings.FreezingThreshold, err)
	// Output: 2592000 <nil>
}

var _ io.Closer = (*canisterd.Network)(nil)
