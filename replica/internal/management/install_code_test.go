package management

import (
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

func TestInstallationsCarryTheirCallerAndArgument(t *testing.T) {
	r := newRig(t)
	c := r.byUser(alice, "install_code", installArg{
		Canister: r.target.ID(), Mode: installMode{Install: null}, Module: []byte("module"), Arg: []byte("arg"), Version: opt(uint64(3)),
	})
	r.replied(c)
	if in := r.installed; string(r.prepared) != "module" || string(in.Arg) != "arg" || in.Caller != alice || in.Mode != canister.InstallFresh ||
		in.Origin.FromCanister || in.Origin.Version != nil {
		t.Errorf("%+v", in)
	}
	owner := r.add(2, bob)
	r.target.Canister.Settings.Controllers = append(r.target.Canister.Settings.Controllers, owner.ID())
	c = r.byCanister(owner, 17, "install_code", installArg{Canister: r.target.ID(), Mode: installMode{Reinstall: null}, Version: opt(uint64(3))})
	r.replied(c)
	if in := r.installed; in.Mode != canister.Reinstall || !in.Origin.FromCanister || *in.Origin.Version != 3 || in.Origin.Principal != owner.ID() || c.Attached != cycles.Of(17) {
		t.Errorf("%+v, refund %s", in, c.Attached)
	}
}

func TestModesAreRead(t *testing.T) {
	yes, no := opt(true), opt(false)
	with := func(o *upgradeOptions) installMode { return installMode{Upgrade: &o} }
	for _, test := range []struct {
		mode installMode
		want canister.Install
	}{
		{installMode{Install: null}, canister.Install{Mode: canister.InstallFresh}},
		{installMode{Reinstall: null}, canister.Install{Mode: canister.Reinstall}},
		{with(nil), canister.Install{Mode: canister.Upgrade}},
		{with(&upgradeOptions{}), canister.Install{Mode: canister.Upgrade}},
		{with(&upgradeOptions{SkipPreUpgrade: no}), canister.Install{Mode: canister.Upgrade}},
		{with(&upgradeOptions{SkipPreUpgrade: yes}), canister.Install{Mode: canister.Upgrade, SkipPreUpgrade: true}},
		{with(&upgradeOptions{Persistence: &persistence{Keep: null}}), canister.Install{Mode: canister.Upgrade, Persistence: canister.Keep}},
		{with(&upgradeOptions{Persistence: &persistence{Replace: null}}), canister.Install{Mode: canister.Upgrade, Persistence: canister.Replace}},
	} {
		raw, err := candid.Marshal(struct {
			Mode installMode `ic:"mode"`
		}{test.mode})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Mode installMode `ic:"mode"`
		}
		if err := candid.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		var in canister.Install
		enterMode(&got.Mode, &in)
		if in.Mode != test.want.Mode || in.SkipPreUpgrade != test.want.SkipPreUpgrade || in.Persistence != test.want.Persistence {
			t.Errorf("got %+v, want %+v", in, test.want)
		}
	}
}

func TestAPlainUpgradeIsAnUpgradeWithoutOptions(t *testing.T) {
	plain := struct {
		Mode     plainMode           `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{Mode: plainMode{Upgrade: null}}
	raw, err := candid.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	a, err := read[installArg](raw)
	if err != nil || a.Mode.Upgrade == nil || *a.Mode.Upgrade != nil || a.Version != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAnUpgradeNeedsCode(t *testing.T) {
	r := newRig(t)
	r.rejected(r.byUser(alice, "install_code", installArg{Canister: r.target.ID(), Mode: installMode{Upgrade: new(*upgradeOptions)}}), intercanister.CanisterWasmModuleNotFound,
		"Error from Canister "+r.target.ID().String()+": Attempted to execute a message, but the canister contains no Wasm module..\n"+
			"Please install code to this canister before calling it. See documentation: https://internetcomputer.org/docs/current/references/execution-errors#wasm-module-not-found")
	r.rejected(r.byUser(alice, "install_code", installArg{Canister: nowhere, Mode: installMode{Install: null}}), intercanister.CanisterNotFound,
		"Canister "+nowhere.String()+" not found.")
}

func TestFailedInstallationsNameTheCanister(t *testing.T) {
	r := newRig(t)
	id := r.target.ID().String()
	r.target.Canister.Balance = cycles.Of(1_000_000_000_000_000)
	r.st.Untouch()
	call := installArg{Canister: r.target.ID(), Mode: installMode{Install: null}}
	r.refused = intercanister.Rejectf(intercanister.CanisterInvalidWasm, "Canister's Wasm module is not valid: why")
	r.rejected(r.byUser(alice, "install_code", call), intercanister.CanisterInvalidWasm, "Error from Canister "+id+": Canister's Wasm module is not valid: why")
	r.refused = nil
	r.outcome.Failure = intercanister.Rejectf(intercanister.CanisterOutOfCycles, "Canister %s is out of cycles", id)
	r.rejected(r.byUser(alice, "install_code", call), intercanister.CanisterOutOfCycles, "Canister installation failed with `Canister "+id+
		" is out of cycles`.\nTop up the canister with more cycles. See documentation: https://internetcomputer.org/docs/current/references/execution-errors#install-code-not-enough-cycles")
	r.outcome.Failure = intercanister.Rejectf(intercanister.CanisterTrapped, "Error from Canister %s: Canister trapped", id)
	r.rejected(r.byUser(alice, "install_code", call), intercanister.CanisterTrapped, "Error from Canister "+id+": Canister trapped")
	if len(r.st.Touched) != 0 {
		t.Error("nothing changed in the certified tree")
	}
}

func TestAModuleThatIsNotValidCosts(t *testing.T) {
	r := newRig(t)
	k := r.target.Canister
	k.Settings.FreezingThreshold = 0
	r.refused = intercanister.Rejectf(intercanister.CanisterInvalidWasm, "Canister's Wasm module is not valid: why")
	call := installArg{Canister: r.target.ID(), Mode: installMode{Install: null}, Module: make([]byte, 1000)}
	r.rejected(r.byUser(alice, "install_code", call), intercanister.CanisterInvalidWasm, "Error from Canister …")
	if paid := cycles.Of(1_000_000_000_000).Sub(k.Balance); paid != cycles.Of(5_000_000+20_000_000+6_000*1000) || k.Consumed.Instructions != paid {
		t.Errorf("paid %s", paid)
	}
	k.Balance = cycles.Of(300_000_000_000)
	r.rejected(r.byUser(alice, "install_code", call), intercanister.CanisterOutOfCycles, "Canister installation failed with `Canister "+r.target.ID().String()+
		" is out of cycles: please top up the canister with at least 5_000_000 additional cycles`.\n…")
	if k.Balance != cycles.Of(300_000_000_000) {
		t.Errorf("balance %s", k.Balance)
	}
}

func TestAnInstallationThatMustWaitForAnotherChangesNothing(t *testing.T) {
	r := newRig(t)
	busy := r.add(2, alice)
	one, two := r.upload("a"), r.upload("b")
	before := r.target.Canister.Balance
	r.st.Parked = []*state.Execution{{Entry: busy, Install: new(state.Installation)}}
	a := r.run(r.byUser(alice, "install_chunked_code", chunked(r, one, two)))
	if a.When != state.Busy || a.Target != busy || r.target.Canister.Balance != before || r.target.Canister.Version != 0 {
		t.Errorf("%+v, paid %s", a, before.Sub(r.target.Canister.Balance))
	}
}
