package management

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

const described = `(module
  (import "ic0" "debug_print" (func $print (param i32 i32)))
  (memory 1)
  (data (i32.const 0) "hello")
  (func (export "canister_init") (call $print (i32.const 0) (i32.const 5)))
  (func (export "canister_post_upgrade") (call $print (i32.const 0) (i32.const 2)))
  (@custom "icp:public candid:service" "service : {}")
  (@custom "icp:private secret" "shh"))`

// withEngine is a rig whose canisters run.
func withEngine(t *testing.T) (*rig, []byte) {
	t.Helper()
	r := newRig(t)
	r.engine = canistertest.NewPlace(t).Engine
	r.target.Canister.Balance = cycles.Of(1_000_000_000_000_000)
	t.Cleanup(func() {
		for r := range r.st.Canisters.All() {
			r.Canister.Close()
		}
	})
	module, err := wat.Assemble(described)
	if err != nil {
		t.Fatal(err)
	}
	return r, module
}

func (r *rig) install(mode installMode, module []byte) {
	r.Helper()
	r.replied(r.byUser(alice, "install_code", installArg{Canister: r.target.ID(), Mode: mode, Module: module}))
}

func TestInstalledCodeIsSeenEverywhere(t *testing.T) {
	r, module := withEngine(t)
	r.install(installMode{Install: null}, module)
	k, hash := r.target.Canister, sha256.Sum256(module)
	if k.Version != 1 || k.History.Total != 1 || len(r.st.Touched) == 0 {
		t.Errorf("version %d, %d changes", k.Version, k.History.Total)
	}
	if d := k.History.Recent(1)[0].Details.(canister.Deployment); d.Mode != canister.InstallFresh || d.Hash != hash {
		t.Errorf("history: %+v", d)
	}
	var s statusResult
	r.replied(r.byUser(alice, "canister_status", idArg{r.target.ID()}), &s)
	if s.Module == nil || !bytes.Equal(*s.Module, hash[:]) || s.Metrics.Heap.String() != "65536" {
		t.Errorf("%+v", s)
	}
	var i infoResult
	r.replied(r.byCanister(r.target, 0, "canister_info", infoArg{r.target.ID(), opt(uint64(1))}), &i)
	if i.Module == nil || !bytes.Equal(*i.Module, hash[:]) || i.Recent[0].Details.Deployment.Mode.Install == nil {
		t.Errorf("%+v", i)
	}
}

func TestMetadataIsPublicOrForControllers(t *testing.T) {
	r, module := withEngine(t)
	r.install(installMode{Install: null}, module)
	owner, stranger := r.add(2, bob), r.add(3, bob)
	r.target.Canister.Settings.Controllers = append(r.target.Canister.Settings.Controllers, owner.ID())
	section := func(name string) metadataArg { return metadataArg{r.target.ID(), name} }
	var m metadataResult
	r.replied(r.byCanister(stranger, 0, "canister_metadata", section("candid:service")), &m)
	if string(m.Value) != "service : {}" {
		t.Errorf("%q", m.Value)
	}
	r.replied(r.byCanister(owner, 0, "canister_metadata", section("secret")), &m)
	if string(m.Value) != "shh" {
		t.Errorf("%q", m.Value)
	}
	for _, name := range []string{"secret", "unknown"} {
		r.rejected(r.byCanister(stranger, 6, "canister_metadata", section(name)), intercanister.CanisterRejectedMessage,
			"The canister "+r.target.ID().String()+" has no metadata section with the name "+name+".")
	}
}

func TestLogsAreFilteredAndResized(t *testing.T) {
	r, module := withEngine(t)
	r.install(installMode{Install: null}, module)
	r.install(installMode{Upgrade: new(*upgradeOptions)}, module)
	logs := func(f *logsFilter) (out logsResult) {
		r.read(r.facade.Query(r.byUser(alice, "fetch_canister_logs", logsArg{r.target.ID(), f})), &out)
		return out
	}
	if all := logs(nil).Records; len(all) != 2 || string(all[0].Content) != "hello" || string(all[1].Content) != "he" || all[1].Index != 1 || all[1].Time != noon {
		t.Errorf("%+v", all)
	}
	if got := logs(&logsFilter{ByIndex: &logsRange{1, 9}}).Records; len(got) != 1 || got[0].Index != 1 {
		t.Errorf("%+v", got)
	}
	r.replied(r.update(settingsArg{LogMemoryLimit: nat(0)}))
	if got := logs(nil).Records; len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestCodeIsNotInstalledOverCode(t *testing.T) {
	r, module := withEngine(t)
	r.install(installMode{Install: null}, module)
	r.rejected(r.byUser(alice, "install_code", installArg{Canister: r.target.ID(), Mode: installMode{Install: null}, Module: module}), intercanister.CanisterNonEmpty,
		"Canister "+r.target.ID().String()+" cannot be installed because the canister is not empty. Try installing with mode='reinstall' instead.\n"+
			"Check that you want to overwrite the canister and, if so, use mode='reinstall'. See documentation: "+
			"https://internetcomputer.org/docs/current/references/execution-errors#canister-not-empty")
	r.install(installMode{Reinstall: null}, module)
	r.install(installMode{Upgrade: new(*upgradeOptions)}, module)
	if k := r.target.Canister; k.Version != 3 || k.History.Total != 3 {
		t.Errorf("version %d, %d changes", k.Version, k.History.Total)
	}
	r.replied(r.byUser(alice, "uninstall_code", versionedArg{Canister: r.target.ID()}))
	if k := r.target.Canister; k.Module() != nil || k.Version != 4 {
		t.Errorf("version %d", k.Version)
	}
}

func TestAnInvalidModuleChangesNothing(t *testing.T) {
	r, _ := withEngine(t)
	r.rejected(r.byUser(alice, "install_code", installArg{Canister: r.target.ID(), Mode: installMode{Install: null}, Module: []byte("no module")}),
		intercanister.CanisterInvalidWasm, "Error from Canister "+r.target.ID().String()+": Canister's Wasm module is not valid: …")
	if k := r.target.Canister; k.Version != 0 || k.History.Total != 0 || k.Module() != nil {
		t.Errorf("version %d", k.Version)
	}
}

func TestAModuleInChunksRuns(t *testing.T) {
	r, module := withEngine(t)
	half := len(module) / 2
	a, b := r.upload(string(module[:half])), r.upload(string(module[half:]))
	hash := sha256.Sum256(module)
	r.replied(r.byUser(alice, "install_chunked_code", installChunkedArg{
		Mode: installMode{Install: null}, Target: r.target.ID(), Chunks: []chunkHash{{Hash: a}, {Hash: b}}, Hash: hash[:],
	}))
	if m := r.target.Canister.Module(); m == nil || m.Hash() != hash {
		t.Error("the module is not there")
	}
}
