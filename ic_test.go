package canisterd_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// TestMain ends what the examples have made, and looks for goroutines that nothing ended.
func TestMain(m *testing.M) {
	code := m.Run()
	for _, end := range slices.Backward(t.ends) {
		end()
	}
	left := goleak.Find() // waits for a second
	for end := time.Now().Add(eventually.Limit); left != nil && time.Now().Before(end); left = goleak.Find() {
	}
	if left != nil {
		fmt.Fprintln(os.Stderr, left)
		code = 1
	}
	os.Exit(code)
}

// recorder is a TB that keeps the first failure.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Fatalf(format string, args ...any) {
	if r.failure == "" {
		r.failure = fmt.Sprintf(format, args...)
	}
}

// Tests, benchmarks and fuzz tests have networks.
var _ = []canisterd.TB{(*testing.T)(nil), (*testing.B)(nil), (*testing.F)(nil)}

func TestParallelTestsHaveNetworksOfTheirOwn(t *testing.T) {
	for i := range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			ic := canisterd.New(t)
			counter := ic.Deploy(counterWasm)
			if err := counter.Call(ctx, "add", i); err != nil {
				t.Fatal(err)
			}
			fork := ic.Fork()
			ic.Advance(time.Hour)
			for _, c := range []*canisterd.Canister{counter, fork.Canister("counter")} {
				if n, err := canisterd.Query[int](ctx, c, "get"); err != nil || n != i {
					t.Errorf("the counter of network %d shows %d (%v)", i, n, err)
				}
			}
		})
	}
}

func TestNetworksOfOneSeedAreTheSameAndOthersAreNot(t *testing.T) {
	first, second := canisterd.New(t).Create(), canisterd.New(t).Create()
	if first.ID() != second.ID() {
		t.Errorf("the canisters have the ids %s and %s", first.ID(), second.ID())
	}
	if other := canisterd.New(t, canisterd.Seed("other")).Create(); other.ID() == first.ID() {
		t.Errorf("with another seed the id is %s, too", other.ID())
	}
}

func TestWhatATestCannotGoOnWithoutFailsIt(t *testing.T) {
	for want, do := range map[string]func(ic *canisterd.IC){
		"canisterd: reading the module: open missing.wasm": func(ic *canisterd.IC) { ic.Deploy("missing.wasm") },
		"deploying counter: the arguments are not what the module takes": func(ic *canisterd.IC) {
			ic.Deploy(counterWasm, canisterd.Init(1))
		},
		"has neither a canisterd.yaml nor a Wasm file":          func(ic *canisterd.IC) { ic.DeployProject("docs") },
		`no canister has the name "bank": none was deployed`:    func(ic *canisterd.IC) { ic.Canister("bank") },
		"invalid duration -1s: expected a positive one":         func(ic *canisterd.IC) { ic.Advance(-time.Second) },
		"invalid time 2000-01-01T00:00:00Z: expected one":       func(ic *canisterd.IC) { ic.AdvanceTo(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) },
		"no canister has a timer set":                           func(ic *canisterd.IC) { ic.AdvanceToTimer() },
		"no trace of the call":                                  func(ic *canisterd.IC) { ic.Trace(nil) },
		"no message is held":                                    func(ic *canisterd.IC) { ic.Hold(canisterd.Calls{}).Wait() },
		"the network has no subnet of kind ii: give it one":     func(ic *canisterd.IC) { ic.Create(canisterd.On(canisterd.II)) },
		"the snapshot is of another network: fork that network": func(ic *canisterd.IC) { ic.Restore(ic.Fork().Snapshot()) },
	} {
		r := &recorder{TB: t}
		do(canisterd.New(r))
		if !strings.Contains(r.failure, want) {
			t.Errorf("the test fails with %q, want %q", r.failure, want)
		}
	}
}

func TestRejectsRefusalsAndMistakesAreDifferentErrors(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	vault := ic.Deploy(vaultWasm)
	for what, err := range map[string]error{
		"reject":  vault.Call(ctx, "transfer", canisterd.User("alice"), 2_000),
		"method":  vault.Call(ctx, "missing"),
		"refusal": ic.Network.AdvanceToTimer(ctx),
		"mistake": vault.Call(ctx, "transfer", "alice", 1),
		"results": vault.Query(ctx, "paidOut", canisterd.Into(new(string))),
	} {
		var reject *canisterd.Reject
		var refusal *canisterd.Refusal
		isReject, isRefusal := errors.As(err, &reject), errors.As(err, &refusal)
		if err == nil || isReject != (what == "reject" || what == "method") || isRefusal != (what == "refusal") {
			t.Errorf("%s: %v is a reject: %t, a refusal: %t", what, err, isReject, isRefusal)
		}
		if isReject && (reject.Code != canisterd.CanisterError || reject.Canister != vault.ID() || !strings.HasPrefix(err.Error(), "vault.")) {
			t.Errorf("%s: %+v", what, reject)
		}
	}
}

func TestMistakesInArgumentsSayWhatTheMethodTakes(t *testing.T) {
	ctx := t.Context()
	counter := canisterd.New(t).Deploy(counterWasm)
	for want, args := range map[string][]any{
		"counter.add takes (n : nat): argument 0: -1 does not fit nat":                                   {-1},
		"counter.add takes (n : nat): 2 arguments given, at most 1 expected":                             {1, 2},
		"counter.add takes (n : nat): argument 1 is a canisterd.Text, which has to be the only argument": {1, canisterd.Text("(1)")},
		"counter.add takes (n : nat): the Go type chan int has no Candid type":                           {make(chan int)},
		"counter.add replies (nat): ": {1, canisterd.Into(new(bool))},
	} {
		if err := counter.Call(ctx, "add", args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestACallThatWaitsSaysSoAndIsAnsweredLater(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	counter, caller := ic.Deploy(counterWasm), ic.Deploy(callerWasm)
	held := ic.Hold(canisterd.Calls{Callee: counter})
	call, err := caller.Submit(ctx, "bump", counter.ID().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Await(ctx); !errors.Is(err, canisterd.ErrWaiting) {
		t.Errorf("a call whose request is held: %v", err)
	}
	if m := held.Messages(); len(m) != 1 || m[0].Callee != counter.ID() || m[0].Method != "inc" {
		t.Errorf("held are %+v", m)
	}
	held.Reply(7)
	var n int
	if err := call.Await(ctx, &n); err != nil || n != 7 {
		t.Errorf("the answer is %d (%v)", n, err)
	}
	if n, err := canisterd.Query[int](ctx, counter, "get"); err != nil || n != 0 {
		t.Errorf("the counter that was not called shows %d (%v)", n, err)
	}
}

func TestCallsAreRejectedByRule(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	counter, caller := ic.Deploy(counterWasm), ic.Deploy(callerWasm)
	rule := ic.RejectCalls(canisterd.Calls{Callee: counter, Times: 1}, "closed")
	var reject *canisterd.Reject
	if err := caller.Call(ctx, "bump", counter.ID().String()); !errors.As(err, &reject) {
		t.Errorf("the call of a callee that rejects: %v", err)
	}
	if err := caller.Call(ctx, "bump", counter.ID().String()); err != nil {
		t.Errorf("the call after the last that is rejected: %v", err)
	}
	rule.Release()
}

func TestTheWallClockRunsANetworkByItself(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t, canisterd.WallClock())
	clock := ic.Deploy(clockWasm)
	if err := clock.Call(ctx, "start", time.Hour); err != nil {
		t.Fatal(err)
	}
	called := time.Now()
	eventually.True(t, "the network reaches the wall clock", func() bool { return !ic.Now().Before(called) })
	if now, wall := ic.Now(), time.Now(); now.After(wall) {
		t.Errorf("the network is at %s, ahead of the wall clock at %s", now, wall)
	}
	ic.Advance(150 * time.Minute)
	if n, err := canisterd.Query[int](ctx, clock, "count"); err != nil || n != 2 {
		t.Errorf("in 150 minutes an hourly timer fires %d times (%v)", n, err)
	}
}

func TestAClosedNetworkGivesErrors(t *testing.T) {
	ctx := t.Context()
	network, err := canisterd.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	counter, err := network.Deploy(ctx, counterWasm)
	if err != nil {
		t.Fatal(err)
	}
	fork, err := network.Fork(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := network.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	if err := counter.Call(ctx, "inc"); err == nil {
		t.Error("a canister of a closed network answers")
	}
	if n, err := canisterd.Call[int](ctx, counter.In(fork), "inc"); err != nil || n != 1 {
		t.Errorf("its fork answers %d (%v)", n, err)
	}
	if err := fork.Close(); err != nil {
		t.Errorf("closing the fork: %v", err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	ic := canisterd.New(t, canisterd.WallClock())
	counter := ic.Deploy(counterWasm)
	ic.Hold(canisterd.Calls{Stage: canisterd.Ingress})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := counter.Call(ctx, "inc"); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

func TestACanisterWithoutAnInterfaceTakesGoValuesAsTheyAre(t *testing.T) {
	echo := wat.MustAssemble(`(module
		(import "ic0" "msg_arg_data_size" (func $size (result i32)))
		(import "ic0" "msg_arg_data_copy" (func $copy (param i32 i32 i32)))
		(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
		(import "ic0" "msg_reply" (func $reply))
		(memory (export "memory") 1)
		(func (export "canister_update echo")
			(call $copy (i32.const 0) (i32.const 0) (call $size)) (call $append (i32.const 0) (call $size)) (call $reply)))`)
	ctx := t.Context()
	c := canisterd.New(t).DeployModule(echo, canisterd.Named("echo"))
	if text, err := canisterd.Call[string](ctx, c, "echo", "hello"); err != nil || text != "hello" {
		t.Errorf("the echo of a Go value is %q (%v)", text, err)
	}
	if raw, err := canisterd.Call[canisterd.Bytes](ctx, c, "echo", canisterd.Bytes("raw")); err != nil || string(raw) != "raw" {
		t.Errorf("the echo of bytes is %q (%v)", raw, err)
	}
	if text, err := canisterd.Call[canisterd.Text](ctx, c, "echo", canisterd.Text(`("x", 1 : nat8)`)); err != nil || text != `("x", 1 : nat8)` {
		t.Errorf("the echo of text is %s (%v)", text, err)
	}
}

func TestCanistersAreStoppedAndDeleted(t *testing.T) {
	ctx := t.Context()
	counter := canisterd.New(t).Deploy(counterWasm)
	if err := counter.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := counter.Call(ctx, "inc"); err == nil {
		t.Error("a stopped canister answers")
	}
	if err := errors.Join(counter.Start(ctx), counter.Call(ctx, "inc"), counter.Stop(ctx), counter.Delete(ctx)); err != nil {
		t.Fatal(err)
	}
	if _, err := counter.Cycles(ctx); err == nil {
		t.Error("a deleted canister has a balance")
	}
}

func TestAProjectHasItsSettingsAndArguments(t *testing.T) {
	folder := t.TempDir()
	for file, from := range map[string]string{"branch.wasm": branchWasm, "counter.wasm": counterWasm} {
		module, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, file), module, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := `canisters:
  branch:
    wasm: branch.wasm
    init: '(principal "${office}", record { limit = 7; currencies = vec { "CHF" } })'
    cycles: 5T
    settings: {freezing_threshold: 30d, log_visibility: public}
  office: {wasm: counter.wasm, subnet: application}
`
	if err := os.WriteFile(filepath.Join(folder, "canisterd.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ic := canisterd.New(t)
	made := ic.DeployProject(folder)
	var about canisterd.Text
	if err := made["branch"].Query(t.Context(), "about", canisterd.Into(&about)); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`(principal "%s", 7 : nat, "CHF")`, made["office"].ID()); string(about) != want {
		t.Errorf("the branch is about %s, want %s", about, want)
	}
	if balance, err := made["branch"].Cycles(t.Context()); err != nil || balance >= 5*canisterd.T || balance < 4*canisterd.T {
		t.Errorf("the branch has %d cycles (%v)", balance, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 3 {
		t.Errorf("the folder has %d files (%v), want 3", len(left), err)
	}
}

func TestOutcallsGetWhatTheHandlerSays(t *testing.T) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, handler := range map[string]http.HandlerFunc{
		"404 [early] gone": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", "early")
			w.WriteHeader(http.StatusNotFound)
			w.Header().Set("X", "late")
			fmt.Fprint(w, "gone")
		},
		"200 [] ": func(http.ResponseWriter, *http.Request) {},
	} {
		response, err := canisterd.Handler(handler).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if got := fmt.Sprint(response.StatusCode, " ", response.Header["X"], " ", string(body)); got != want || err != nil {
			t.Errorf("the response is %q (%v), want %q", got, err, want)
		}
	}
}

func TestOutcallsAreRejectedWithoutATransport(t *testing.T) {
	outcaller := canisterd.New(t).Deploy(outcallerWasm)
	var reply canisterd.Text
	if err := outcaller.Call(t.Context(), "fetch", "https://example.com", canisterd.Into(&reply)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(reply), "make it with canisterd.Outcalls") {
		t.Errorf("the canister gets %s", reply)
	}
}

func TestAFolderForCompiledModulesIsFilled(t *testing.T) {
	folder := t.TempDir()
	canisterd.New(t, canisterd.Cache(folder)).Deploy(counterWasm)
	if files, err := os.ReadDir(folder); err != nil || len(files) == 0 {
		t.Errorf("the folder has %d files (%v)", len(files), err)
	}
}

func TestCompiledModulesAreKeptInTheCacheOfTheUserByDefault(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("LocalAppData", home)
	folder, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(folder, "canisterd", "modules")
	canisterd.New(t, canisterd.Cache("")).Deploy(counterWasm)
	if _, err := os.Stat(kept); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder, %s is there (%v)", kept, err)
	}
	canisterd.New(t).Deploy(counterWasm)
	if files, err := os.ReadDir(kept); err != nil || len(files) == 0 {
		t.Errorf("%s has %d files (%v)", kept, len(files), err)
	}
}

func TestACanisterIsCreatedWithItsIDOnMainnet(t *testing.T) {
	id, err := principal.Parse("ryjl3-tyaaa-aaaaa-aaaba-cai")
	if err != nil {
		t.Fatal(err)
	}
	ic := canisterd.New(t, canisterd.Subnets(canisterd.NNS, canisterd.Application))
	if ledger := ic.Deploy(counterWasm, canisterd.ID(id)); ledger.ID() != id {
		t.Errorf("the id is %s, want %s", ledger.ID(), id)
	}
}
