package management

import (
	"bytes"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

func TestStatusTellsEverythingAboutAnEmptyCanister(t *testing.T) {
	r := newRig(t)
	k := r.target.Canister
	k.Version, k.Reserved, k.Queries = 6, cycles.Of(11), canister.QueryStats{Calls: 1, Instructions: 2, RequestBytes: 3, ResponseBytes: 4}
	k.Balance = cycles.Amount{Hi: 1}
	k.Settings.SetEnvironment([]canister.Variable{{Name: "a", Value: "b"}})
	for _, ask := range []func(*state.ManagementCall) state.Answer{r.run, r.facade.Query} {
		var s statusResult
		c := r.byUser(alice, "canister_status", idArg{r.target.ID()})
		r.read(ask(c), &s)
		if s.Status.Running == nil || s.Ready || s.Version != 6 || s.Module != nil || s.Cycles.String() != "18446744073709551616" || s.Reserved.String() != "11" {
			t.Errorf("%+v", s)
		}
		if s.Queries.Calls.String() != "1" || s.Queries.ResponseBytes.String() != "4" || s.Memory.String() != "0" {
			t.Errorf("%+v", s)
		}
		set := s.Settings
		if !slices.Equal(set.Controllers, []principal.Principal{alice}) || set.FreezingThreshold.String() != "2592000" || set.ReservedLimit.String() != "5000000000000" ||
			set.WasmMemoryLimit.String() != "3221225472" || set.LogMemoryLimit.String() != "4096" || set.LogVisibility.Controllers == nil || len(set.Environment) != 1 {
			t.Errorf("%+v", set)
		}
	}
}

func TestStatusCountsMemoryAndWhatItBurns(t *testing.T) {
	r := newRig(t)
	if err := r.target.Canister.Chunks.Put(r.Engine(), []byte("chunk")); err != nil {
		t.Fatal(err)
	}
	r.target.Canister.Settings.ComputeAllocation = 2
	var s statusResult
	r.replied(r.byUser(alice, "canister_status", idArg{r.target.ID()}), &s)
	burned := r.sub.Fees.IdlePerDay(cycles.Holdings{Memory: 1 << 20, Compute: 2})
	if s.Metrics.Chunks.String() != "1048576" || s.Memory.String() != "1048576" || s.IdlePerDay.String() != burned.String() {
		t.Errorf("%+v", s)
	}
}

func TestACanisterIsReadyForMigrationWhenItIsStoppedAndQuiet(t *testing.T) {
	r := newRig(t)
	var s statusResult
	r.target.Canister.Status = canister.Stopping
	r.replied(r.byUser(alice, "canister_status", idArg{r.target.ID()}), &s)
	if s.Status.Stopping == nil || s.Ready {
		t.Errorf("%+v", s)
	}
	r.target.Canister.Status = canister.Stopped
	r.replied(r.byUser(alice, "canister_status", idArg{r.target.ID()}), &s)
	if s.Status.Stopped == nil || !s.Ready {
		t.Errorf("%+v", s)
	}
	r.rejected(r.byUser(alice, "canister_status", idArg{nowhere}), intercanister.CanisterNotFound, "Canister "+nowhere.String()+" not found.")
}

func TestMetricsTellWhatTheCanisterPaid(t *testing.T) {
	r := newRig(t)
	r.target.Canister.Consumed = canister.Consumption{Memory: cycles.Of(1), Burned: cycles.Of(9)}
	var m metricsResult
	r.replied(r.byUser(alice, "canister_metrics", idArg{r.target.ID()}), &m)
	if m.Consumed.Memory.String() != "1" || m.Consumed.Burned.String() != "9" || m.Consumed.Outcalls.String() != "0" {
		t.Errorf("%+v", m)
	}
	r.read(r.facade.Query(r.byUser(alice, "canister_metrics", idArg{r.target.ID()})), &m)
	r.is(r.facade.Query(r.byUser(bob, "canister_metrics", idArg{r.target.ID()})).Reject, intercanister.CanisterInvalidController, r.control(bob))
}

func TestInfoShowsTheNewestChangesOfEveryKind(t *testing.T) {
	r := newRig(t)
	other := r.add(2, bob)
	hash := [32]byte{5}
	all := []canister.ChangeDetails{
		canister.Creation{Controllers: []principal.Principal{bob}, EnvironmentHash: &hash},
		canister.Uninstallation{},
		canister.Deployment{Mode: canister.Upgrade, Hash: hash},
		canister.SnapshotLoad{From: &bob, Snapshot: []byte("s"), Version: 3, TakenAt: 4, Uploaded: true},
		canister.ControllersChange{Controllers: []principal.Principal{alice, bob}},
		canister.Renaming{From: alice, FromTotal: 1, To: bob, ToVersion: 2, ToTotal: 3, RequestedBy: alice},
	}
	for i, d := range all {
		r.target.Canister.History.Add(canister.Change{Time: uint64(i), Version: uint64(i) + 1, Details: d, Origin: canister.ChangeOrigin{Principal: bob, FromCanister: i == 1, Version: opt(uint64(8))}})
	}
	info := func(n *uint64) (out infoResult) {
		c := r.byCanister(other, 44, "canister_info", infoArg{r.target.ID(), n})
		r.replied(c, &out)
		if c.Attached != cycles.Of(44) || out.Total != 6 || out.Module != nil || !slices.Equal(out.Controllers, []principal.Principal{alice}) {
			t.Errorf("refund %s, %+v", c.Attached, out)
		}
		return out
	}
	if got := info(nil); len(got.Recent) != 0 {
		t.Errorf("%d changes without asking", len(got.Recent))
	}
	if got := info(opt(uint64(2))).Recent; len(got) != 2 || got[0].Details.Controllers == nil || got[1].Details.Rename == nil {
		t.Errorf("%+v", got)
	}
	got := info(opt(^uint64(0))).Recent
	if len(got) != 6 || !bytes.Equal(*got[0].Details.Creation.EnvironmentHash, hash[:]) || got[0].Origin.User.User != bob ||
		*got[1].Origin.Canister.Version != 8 || got[1].Details.Uninstall == nil || got[2].Details.Deployment.Mode.Upgrade == nil ||
		got[3].Details.Snapshot.Source.Uploaded == nil || got[5].Details.Rename.To.Total != 3 || got[5].Version != 6 {
		t.Errorf("%+v", got)
	}
	r.rejected(r.byCanister(other, 1, "canister_info", infoArg{Canister: nowhere}), intercanister.CanisterNotFound, "Canister "+nowhere.String()+" not found.")
}

func TestAnEmptyCanisterHasNoMetadata(t *testing.T) {
	r := newRig(t)
	r.rejected(r.byCanister(r.target, 1, "canister_metadata", metadataArg{r.target.ID(), "candid:service"}), intercanister.CanisterRejectedMessage,
		"The canister "+r.target.ID().String()+" has no Wasm module and hence no metadata is available.")
}

func TestCanisterInfoIsQueriedByEveryone(t *testing.T) {
	r := newRig(t)
	var out infoResult
	r.read(r.facade.Query(r.byUser(principal.Anonymous, "canister_info", infoArg{Canister: r.target.ID()})), &out)
	if !slices.Equal(out.Controllers, []principal.Principal{alice}) {
		t.Errorf("%+v", out)
	}
	r.is(r.facade.Query(r.byUser(alice, "canister_info", infoArg{Canister: nowhere})).Reject, intercanister.CanisterNotFound, "Canister "+nowhere.String()+" not found")
}

func TestCanistersFetchLogsWithoutAFee(t *testing.T) {
	r, module := withEngine(t)
	r.install(installMode{Install: null}, module) // which prints hello
	r.target.Canister.Settings.LogVisibility.Kind = canister.Public
	other := r.add(2, bob)
	r.rejected(r.byCanister(other, 0, "fetch_canister_logs", logsArg{Canister: nowhere}), intercanister.CanisterNotFound, "Canister "+nowhere.String()+" not found.")
	for _, attached := range []uint64{0, 1_000_000} {
		c := r.byCanister(other, attached, "fetch_canister_logs", logsArg{Canister: r.target.ID()})
		var out logsResult
		r.replied(c, &out)
		if len(out.Records) != 1 || c.Attached != cycles.Of(attached) || !r.st.Totals.Fees.IsZero() {
			t.Errorf("%+v with %d cycles attached, of which %s come back; the books have %s of fees", out, attached, c.Attached, r.st.Totals.Fees)
		}
	}
}

func TestLogsAreQueried(t *testing.T) {
	r := newRig(t)
	r.is(r.facade.Query(r.byUser(alice, "fetch_canister_logs", logsArg{Canister: nowhere})).Reject, intercanister.CanisterNotFound, "Canister "+nowhere.String()+" not found")
}

func TestALogFilterIsHalfOpen(t *testing.T) {
	record := canister.LogRecord{Index: 5, Time: 50}
	for _, test := range []struct {
		filter *logsFilter
		want   bool
	}{
		{nil, true},
		{&logsFilter{ByIndex: &logsRange{5, 6}}, true},
		{&logsFilter{ByIndex: &logsRange{4, 5}}, false},
		{&logsFilter{ByIndex: &logsRange{6, 5}}, false},
		{&logsFilter{ByTime: &logsRange{50, 51}}, true},
		{&logsFilter{ByTime: &logsRange{0, 50}}, false},
	} {
		if got := test.filter.lets(&record); got != test.want {
			t.Errorf("%+v: %v", test.filter, got)
		}
	}
}
