package canister_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
)

func install(p *canistertest.Place, c *canister.Canister, in canister.Install) canister.Outcome {
	in.Caller = canistertest.Controller
	in.Origin = canister.ChangeOrigin{Principal: canistertest.Controller}
	return c.Install(&p.Subnet, &in)
}

func TestAnInstallationRunsStartThenInitAndEntersTheHistory(t *testing.T) {
	p := canistertest.NewPlace(t)
	m := p.Wat(`(module (import "ic0" "msg_reply_data_append" (func $append (param i32 i32))) (import "ic0" "msg_reply" (func $reply))
		(import "ic0" "canister_version" (func $version (result i64)))
		(memory 1) (data (i32.const 0) "abc")
		(func $start (i32.store8 (i32.const 1) (i32.const 88))) (start $start)
		(func (export "canister_init") (i32.store8 (i32.const 2) (i32.add (i32.load8_u (i32.const 1)) (i32.wrap_i64 (call $version)))))
		(func (export "canister_query get") (call $append (i32.const 0) (i32.const 3)) (call $reply)))`)
	c := p.Empty()
	p.Subnet.Time += 5
	out := install(p, c, canister.Install{Module: m})
	if out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if got := string(reply(t, p.Query(c, "get", nil))); got != "aXY" {
		t.Errorf("the heap is %q", got)
	}
	if c.Version != 1 || c.Installed != p.Subnet.Time || c.Certified == nil || len(c.Certified) != 0 {
		t.Errorf("version %d, installed at %d, certified %v", c.Version, c.Installed, c.Certified)
	}
	change := c.History.Recent(1)[0]
	if d, ok := change.Details.(canister.Deployment); !ok || d.Hash != m.Hash() || d.Mode != canister.InstallFresh || change.Version != 1 || change.Time != p.Subnet.Time {
		t.Errorf("the history says %+v", change)
	}
	if out.DirtyPages != 2 || out.Instructions != m.InstructionCost()+(1+3)+1000+(1+1+1+1+5+1+1+1+500)+1000 {
		t.Errorf("%d pages, %d instructions beyond %d", out.DirtyPages, out.Instructions-m.InstructionCost(), m.InstructionCost())
	}
}

func TestAnInstallationThatFailsLeavesNothing(t *testing.T) {
	p := canistertest.NewPlace(t)
	m := p.Module(canistertest.Scriptable())
	for _, mode := range []canister.InstallMode{canister.InstallFresh, canister.Reinstall} {
		c := p.Empty()
		before := c.MemoryUsage()
		out := install(p, c, canister.Install{Mode: mode, Module: m, Arg: canistertest.Script().StableGrow(10).Drop().Burn(100).Drop().Trap("no").Bytes()})
		failed(t, c, out, intercanister.CanisterCalledTrap, "Canister called `ic0.trap` with message: 'no'")
		after := c.MemoryUsage()
		after.Logs = 0
		if c.Module() != nil || after != before || c.Version != 0 || c.Installed != 0 || c.History.Total != 0 || c.Balance != cycles.Of(canistertest.Balance) {
			t.Errorf("after a failed %s the canister is %+v", mode, c)
		}
		if c.Logs.Len() != 1 {
			t.Errorf("%d log records", c.Logs.Len())
		}
	}
}

func TestAnInstalledCanisterKeepsNoMessage(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Empty()
	begin := func() (module, arg weak.Pointer[byte]) {
		uploaded, argument := bytes.Clone(canistertest.Scriptable()), canistertest.Script().Print(strings.Repeat("x", 100)).Bytes()
		if out := install(p, c, canister.Install{Module: p.Module(uploaded), Arg: argument}); out.Failure != nil {
			t.Fatal(out.Failure)
		}
		return weak.Make(&uploaded[0]), weak.Make(&argument[0])
	}
	module, arg := begin()
	runtime.GC()
	if module.Value() != nil || arg.Value() != nil {
		t.Errorf("a canister keeps the module %t, the argument %t", module.Value() != nil, arg.Value() != nil)
	}
	runtime.KeepAlive(c)
}

func TestModesAskForWhatTheyNeed(t *testing.T) {
	p := canistertest.NewPlace(t)
	m := p.Module(canistertest.Scriptable())
	c := p.Empty()
	failed(t, c, install(p, c, canister.Install{Mode: canister.Upgrade, Module: m}), intercanister.CanisterWasmModuleNotFound,
		"Attempted to execute a message, but the canister contains no Wasm module.")
	c = p.Scriptable()
	out := install(p, c, canister.Install{Module: m})
	want := "Canister " + c.ID.String() + " cannot be installed because the canister is not empty. Try installing with mode='reinstall' instead."
	if out.Failure == nil || out.Failure.Error != intercanister.CanisterNonEmpty || out.Failure.Text != want {
		t.Errorf("installing over something: %v", out.Failure)
	}
}

func TestAReinstallationForgetsAllMemories(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	reply(t, p.Run(c, canistertest.Script().Print("old").Reply(nil)))
	out := install(p, c, canister.Install{Mode: canister.Reinstall, Module: c.Module(), Arg: canistertest.Script().Print("new").Bytes()})
	if out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if n := number(t, p.Run(c, canistertest.Script().StableSize().ReplyInt())); n != 0 {
		t.Errorf("stable memory has %d pages", n)
	}
	if n := number(t, p.Run(c, canistertest.Script().Get().ReplyInt())); n != 0 {
		t.Errorf("the register is %d", n)
	}
	if c.Timer != 0 || len(c.Certified) != 0 {
		t.Errorf("timer %d, certified %q", c.Timer, c.Certified)
	}
	if c.Logs.Len() != 1 || string(c.Logs.At(0).Content) != "new" || c.Logs.At(0).Index != 1 {
		t.Errorf("the log has %d records, the first %+v", c.Logs.Len(), c.Logs.At(0))
	}
}

func TestAnUpgradeKeepsStableMemoryAndCertifiedDataAndForgetsTheRest(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	reply(t, p.Run(c, canistertest.Script().Hook(canistertest.HookPreUpgrade, canistertest.Script().
		StableWrite(0, []byte("saved")).Timer(1234).Drop().Version().ToBlob().Print("pre").Int(8).Swap().Raw(0x32)).Reply(nil)))
	version := c.Version
	out := install(p, c, canister.Install{Mode: canister.Upgrade, Module: c.Module(), Arg: canistertest.Script().Version().ToBlob().Int(16).Swap().Raw(0x32).Bytes()})
	if out.Failure != nil {
		t.Fatal(out.Failure)
	}
	got := take(t, p, c)
	if !strings.HasPrefix(got.stable, "savede b") || got.certified != "certified before" || got.register != 0 || got.heap != string(make([]byte, 16)) || got.timer != 0 {
		t.Errorf("after an upgrade: %+v", got)
	}
	versions := reply(t, p.Query(c, "query", canistertest.Script().StableRead(8, 16).ReplyTop().Bytes()))
	if versions[0] != byte(version) || versions[8] != byte(version+1) || c.Version != version+1 {
		t.Errorf("pre_upgrade saw version %d, post_upgrade %d, from %d to %d", versions[0], versions[8], version, c.Version)
	}
}

func TestAFailedUpgradeUndoesPreUpgrade(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	reply(t, p.Run(c, canistertest.Script().Hook(canistertest.HookPreUpgrade, change()).Reply(nil)))
	before := take(t, p, c)
	traps := canistertest.Script().StableWrite(3, []byte("more")).Trap("post")
	for _, in := range []canister.Install{
		{Mode: canister.Upgrade, Module: c.Module(), Arg: traps.Bytes()},
		{Mode: canister.Upgrade, Module: c.Module(), Arg: traps.Bytes(), SkipPreUpgrade: true},
		{Mode: canister.Upgrade, Module: c.Module(), Persistence: canister.Keep},
		{Mode: canister.Upgrade, Module: p.Wat(`(module (func $f unreachable) (start $f))`)},
	} {
		if out := install(p, c, in); out.Failure == nil {
			t.Fatal("the upgrade did not fail")
		}
		if got := take(t, p, c); got != before {
			t.Errorf("after a failed upgrade:\n%+v, want\n%+v", got, before)
		}
	}
	reply(t, p.Run(c, canistertest.Script().Hook(canistertest.HookPreUpgrade, canistertest.Script().Trap("pre")).Reply(nil)))
	if out := install(p, c, canister.Install{Mode: canister.Upgrade, Module: c.Module()}); out.Failure == nil || !strings.Contains(out.Failure.Text, "'pre'") {
		t.Errorf("pre_upgrade did not stop the upgrade: %v", out.Failure)
	}
	if out := install(p, c, canister.Install{Mode: canister.Upgrade, Module: c.Module(), SkipPreUpgrade: true}); out.Failure != nil {
		t.Errorf("an upgrade that skips pre_upgrade: %v", out.Failure)
	}
}

func TestAnUpgradeKeepsTheHeapWhereBothSidesWantIt(t *testing.T) {
	p := canistertest.NewPlace(t)
	keeps := p.Module(canistertest.ScriptablePersistent())
	c := p.Canister(keeps, nil)
	reply(t, p.Run(c, canistertest.Script().HeapWrite(0, []byte("heap before")).Int(7).Set().
		Hook(canistertest.HookPreUpgrade, canistertest.Script().HeapWrite(5, []byte("AFTER"))).Reply(nil)))
	out := install(p, c, canister.Install{Mode: canister.Upgrade, Module: keeps})
	if out.Failure == nil || out.Failure.Error != intercanister.CanisterContractViolation ||
		out.Failure.Text != "Missing upgrade option: Enhanced orthogonal persistence requires the `wasm_memory_persistence` upgrade option." {
		t.Errorf("saying nothing: %v", out.Failure)
	}
	out = install(p, c, canister.Install{Mode: canister.Upgrade, Module: p.Module(canistertest.Scriptable()), Persistence: canister.Keep})
	if out.Failure == nil || out.Failure.Text != "Invalid upgrade option: The `wasm_memory_persistence: opt Keep` upgrade option requires that the new canister module supports enhanced orthogonal persistence." {
		t.Errorf("keeping for a module that does not: %v", out.Failure)
	}
	if out := install(p, c, canister.Install{Mode: canister.Upgrade, Module: keeps, Persistence: canister.Keep}); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	heap := reply(t, p.Query(c, "query", canistertest.Script().HeapRead(0, 11).ReplyTop().Bytes()))
	if !bytes.Equal(heap, []byte("heap AFTERe")) {
		t.Errorf("the heap is %q", heap)
	}
	if n := number(t, p.Run(c, canistertest.Script().Get().ReplyInt())); n != 0 {
		t.Errorf("a global kept its value %d", n)
	}
	if out := install(p, c, canister.Install{Mode: canister.Upgrade, Module: keeps, Persistence: canister.Replace}); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if heap := reply(t, p.Query(c, "query", canistertest.Script().HeapRead(0, 11).ReplyTop().Bytes())); !bytes.Equal(heap, make([]byte, 11)) {
		t.Errorf("replaced, the heap is %q", heap)
	}
}

func TestAHeapThatGrewInPreUpgradeIsKeptOrForgottenWhole(t *testing.T) {
	p := canistertest.NewPlace(t)
	keeps := p.Module(canistertest.ScriptablePersistent())
	c := p.Canister(keeps, canistertest.Script().StableGrow(1).Drop().
		Hook(canistertest.HookPreUpgrade, canistertest.Script().Grow(3).Drop().HeapWrite(0, []byte("grown"))).Bytes())
	before, heap := take(t, p, c), c.MemoryUsage().Heap
	in := canister.Install{Mode: canister.Upgrade, Module: keeps, Persistence: canister.Keep, Arg: canistertest.Script().HeapWrite(0, []byte("G")).Grow(2).Drop().Trap("no").Bytes()}
	if out := install(p, c, in); out.Failure == nil {
		t.Fatal("the upgrade did not fail")
	}
	if got := take(t, p, c); got != before {
		t.Errorf("after a failed upgrade:\n%+v, want\n%+v", got, before)
	}
	in.Arg = canistertest.Script().HeapWrite(0, []byte("G")).Grow(2).Drop().Bytes()
	if out := install(p, c, in); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if got := take(t, p, c); !strings.HasPrefix(got.heap, "Grown\x00") || c.MemoryUsage().Heap != heap+5<<16 {
		t.Errorf("the heap begins with %q and went from %d bytes to %d", got.heap, heap, c.MemoryUsage().Heap)
	}
}

func TestOneLimitHoldsForTheWholeInstallation(t *testing.T) {
	p := canistertest.NewPlace(t)
	m := p.Module(canistertest.Scriptable())
	busy := func(n uint64) []byte { return canistertest.Script().Busy(n).Bytes() }
	p.Subnet.Limits.Install = m.InstructionCost() + 100_000
	c := p.Empty()
	out := install(p, c, canister.Install{Module: m, Arg: busy(1 << 40)})
	failed(t, c, out, intercanister.CanisterInstructionLimitExceeded,
		fmt.Sprintf("Canister exceeded the limit of %d instructions for single message execution.", p.Subnet.Limits.Install))
	if out.Instructions != p.Subnet.Limits.Install {
		t.Errorf("charged are %d of %d", out.Instructions, p.Subnet.Limits.Install)
	}
	if out := install(p, c, canister.Install{Module: m, Arg: busy(100)}); out.Failure != nil {
		t.Error(out.Failure)
	}
}

func TestAnInstallationMustLeaveEnoughCyclesAndHeap(t *testing.T) {
	p := canistertest.NewPlace(t)
	m := p.Module(canistertest.Scriptable())
	c := p.Empty()
	c.Balance = cycles.Amount{}
	refund := p.Subnet.Fees.ExecutionRefund(p.Subnet.Limits.Install, false)
	c.Settings.FreezingThreshold = 1 << 50
	out := install(p, c, canister.Install{Module: m})
	if out.Failure == nil || out.Failure.Error != intercanister.CanisterOutOfCycles ||
		!strings.HasPrefix(out.Failure.Text, "Canister installation failed with `Canister "+c.ID.String()+" is out of cycles: please top up the canister with at least ") {
		t.Errorf("without cycles (refund at most %s): %v", refund, out.Failure)
	}
	c = p.Empty()
	c.Settings.WasmMemoryLimit = 65536
	out = install(p, c, canister.Install{Module: m})
	if out.Failure == nil || out.Failure.Error != intercanister.CanisterWasmMemoryLimitExceeded {
		t.Errorf("with a heap over the limit: %v", out.Failure)
	}
	if c.Module() != nil {
		t.Error("the module was installed all the same")
	}
}

func TestUninstallingLeavesAnEmptyCanister(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := prepared(t, p)
	if err := c.Chunks.Put(p.Engine, []byte("chunk")); err != nil {
		t.Fatal(err)
	}
	reply(t, p.Run(c, canistertest.Script().Print("x").Reply(nil)))
	q, _ := c.PrepareQuery()
	c.Uninstall()
	q.Release()
	if c.Module() != nil || c.Certified != nil || c.Timer != 0 || c.Installed != 0 || c.Chunks.Len() != 0 || c.Logs.Len() != 0 {
		t.Errorf("the canister is %+v", c)
	}
	if out := install(p, c, canister.Install{Module: p.Module(canistertest.Scriptable())}); out.Failure != nil {
		t.Error(out.Failure)
	}
	if c.History.Total != 2 {
		t.Errorf("the history has %d changes", c.History.Total)
	}
}

func TestAnInvalidModuleIsRejected(t *testing.T) {
	p := canistertest.NewPlace(t)
	for _, x := range []struct{ bytes, want string }{
		{"", "Canister's Wasm module is not valid: "},
		{"\x00asm\x01\x00\x00", "Canister's Wasm module is not valid: "},
		{string(assemble(t, `(module (import "ic0" "no_such" (func)))`)), "no_such"},
	} {
		_, reject := p.Engine.Prepare(t.Context(), []byte(x.bytes))
		if reject == nil || reject.Error != intercanister.CanisterInvalidWasm || !strings.Contains(reject.Text, x.want) {
			t.Errorf("%q is prepared, or rejected with %v", x.bytes, reject)
		}
	}
}
