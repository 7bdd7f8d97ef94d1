package management

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

func (r *rig) update(s settingsArg) *state.ManagementCall {
	r.Helper()
	return r.byUser(alice, "update_settings", updateSettingsArg{Canister: r.target.ID(), Settings: s})
}

func TestWhatIsNotGivenStaysAsItIs(t *testing.T) {
	r := newRig(t)
	k := r.target.Canister
	before := fmt.Sprint(k.Settings)
	r.replied(r.update(settingsArg{}))
	if after := fmt.Sprint(k.Settings); after != before || k.Version != 1 || k.History.Total != 0 {
		t.Errorf("version %d, history %d, settings\n%s\n%s", k.Version, k.History.Total, before, after)
	}
}

func TestEverySettingCanBeSet(t *testing.T) {
	r := newRig(t)
	viewers := []principal.Principal{bob}
	c := r.byCanister(r.target, 31, "update_settings", updateSettingsArg{Canister: r.target.ID(), Version: opt(uint64(0)), Settings: settingsArg{
		Controllers:         &[]principal.Principal{r.target.ID(), bob, bob},
		ComputeAllocation:   nat(1),
		MemoryAllocation:    nat(1 << 20),
		FreezingThreshold:   nat(3),
		ReservedLimit:       nat(4),
		MinimumIncoming:     nat(5),
		LogVisibility:       &visibility{Public: null},
		SnapshotVisibility:  &visibility{Viewers: &viewers},
		StatusVisibility:    &visibility{Controllers: null},
		WasmMemoryLimit:     nat(1 << 48),
		WasmMemoryThreshold: nat(7),
		LogMemoryLimit:      nat(0),
		Environment:         &[]variable{{Name: "k", Value: "v"}},
	}})
	r.target.Canister.Settings.Controllers = []principal.Principal{r.target.ID()}
	r.replied(c)
	want := canister.Settings{
		Controllers:       distinct([]principal.Principal{bob, r.target.ID()}),
		ComputeAllocation: 1, MemoryAllocation: 1 << 20, FreezingThreshold: 3,
		ReservedLimit: cycles.Of(4), MinimumIncoming: cycles.Of(5),
		LogVisibility:      canister.Visibility{Kind: canister.Public},
		SnapshotVisibility: canister.Visibility{Kind: canister.AllowedViewers, Viewers: viewers},
		WasmMemoryLimit:    1 << 48, WasmMemoryThreshold: 7,
		Environment: []canister.Variable{{Name: "k", Value: "v"}},
	}
	k := r.target.Canister
	if got := fmt.Sprint(*k.Settings); got != fmt.Sprint(want) {
		t.Errorf("got  %s\nwant %v", got, want)
	}
	entry := k.History.Recent(1)[0]
	if k.History.Total != 1 || k.Version != 1 || entry.Version != 1 || *entry.Origin.Version != 0 || c.Attached != cycles.Of(31) || len(r.st.Touched) == 0 {
		t.Errorf("version %d, history %+v, refund %s", k.Version, entry, c.Attached)
	}
	if d := entry.Details.(canister.ControllersChange); !slices.Equal(d.Controllers, want.Controllers) {
		t.Errorf("history: %+v", d)
	}
}

func TestSettingsOutOfRangeChangeNothing(t *testing.T) {
	long := strings.Repeat("x", 129)
	many := make([]variable, 21)
	for i := range many {
		many[i].Name = fmt.Sprint(i)
	}
	contract, payload := intercanister.CanisterContractViolation, intercanister.InvalidManagementPayload
	for _, test := range []struct {
		settings settingsArg
		code     intercanister.ErrorCode
		text     string
	}{
		{settingsArg{ComputeAllocation: nat(1000)}, contract, "ComputeAllocation expected to be in the range [0..100], got 1_000"},
		{settingsArg{ComputeAllocation: big(64)}, contract, "ComputeAllocation expected to be in the range [0..100], got 18_446_744_073_709_551_616"},
		{settingsArg{MemoryAllocation: big(64)}, contract, "MemoryAllocation expected to be in the range [0..18_446_744_073_709_551_615], got 18_446_744_073_709_551_616"},
		{settingsArg{FreezingThreshold: big(64)}, contract, "Freezing threshold expected to be in the range of [0..2^64-1], got 18_446_744_073_709_551_616"},
		{settingsArg{ReservedLimit: big(128)}, contract, "Reserved cycles limit expected to be in the range of [0..2^128-1], got 340_282_366_920_938_463_463_374_607_431_768_211_456"},
		{settingsArg{MinimumIncoming: big(128)}, contract, "Minimum incoming canister call cycles expected to be in the range of [0..2^128-1], got 340_282_366_920_938_463_463_374_607_431_768_211_456"},
		{settingsArg{WasmMemoryLimit: nat(1<<48 + 1)}, contract, "Wasm memory limit expected to be in the range of [0..2^64-1], got 281_474_976_710_657"},
		{settingsArg{WasmMemoryThreshold: nat(1<<48 + 1)}, contract, "Wasm memory threshold expected to be in the range of [0..2^64-1], got 281_474_976_710_657"},
		{settingsArg{LogMemoryLimit: nat(4095)}, intercanister.CanisterRejectedMessage, "The canister log memory limit 4095 is too low. It must be at least 4096."},
		{settingsArg{LogMemoryLimit: nat(2<<20 + 1)}, intercanister.CanisterRejectedMessage, "The canister log memory limit 2097153 is too high. It must be at most 2097152."},
		{settingsArg{Environment: &many}, payload, "Too many environment variables: 21 (max: 20)"},
		{settingsArg{Environment: &[]variable{{Name: "a"}, {Name: "b"}, {Name: "a"}}}, payload, "Duplicate environment variables are not allowed"},
		{settingsArg{Environment: &[]variable{{Name: long}}}, payload, `Environment variable name "` + long + `" exceeds the maximum allowed length of 128.`},
		{settingsArg{Environment: &[]variable{{Name: "a", Value: long}}}, payload, `Environment variable value "` + long + `" exceeds the maximum allowed length of 128.`},
		{settingsArg{Controllers: opt(make([]principal.Principal, 11))}, payload, "Error decoding candid: Deserialize error: The number of elements exceeds maximum allowed 10"},
		{settingsArg{LogVisibility: &visibility{Viewers: opt(make([]principal.Principal, 11))}}, payload, "Error decoding candid: Deserialize error: The number of elements exceeds maximum allowed 10"},
		{settingsArg{MemoryAllocation: nat(3 << 40)}, intercanister.SubnetOversubscribed, "Canister requested 3.00 TiB of memory but only 2.00 TiB are available in the subnet.\nTry moving …"},
		{settingsArg{MemoryAllocation: nat(1 << 40)}, intercanister.ReservedCyclesLimitExceededInMemoryAllocation, "…"},
	} {
		r := newRig(t)
		r.target.Canister.Balance = cycles.Of(1_000_000_000_000_000_000)
		if test.code == intercanister.ReservedCyclesLimitExceededInMemoryAllocation {
			r.sub.MemoryUsed = 760 << 30
			test.text = "Cannot increase memory allocation to 1.00 TiB due to its reserved cycles limit. The current limit (5_000_000_000_000) would be exceeded by …"
		}
		before := fmt.Sprint(r.target.Canister.Settings)
		r.rejected(r.update(test.settings), test.code, test.text)
		if k := r.target.Canister; fmt.Sprint(k.Settings) != before || k.Version != 0 || k.History.Total != 0 {
			t.Errorf("%s: something changed", test.text)
		}
	}
}

func TestAllocationsGrowOnlyWhereTheyCanBePaid(t *testing.T) {
	r := newRig(t)
	r.target.Canister.Balance = cycles.Of(1_000)
	r.target.Canister.Settings.FreezingThreshold = 86_400
	perDay := r.sub.Fees.IdlePerDay(cycles.Holdings{Compute: 50})
	r.rejected(r.update(settingsArg{ComputeAllocation: nat(50)}), intercanister.InsufficientCyclesInComputeAllocation,
		"Cannot increase compute allocation to 50% due to insufficient cycles. At least "+grouped(perDay.Sub(cycles.Of(1_000)))+
			" additional cycles are required.\nTop up the canister with more cycles. See documentation: "+
			"https://internetcomputer.org/docs/current/references/execution-errors#insufficient-cycles-in-compute-allocation")
	perDay = r.sub.Fees.IdlePerDay(cycles.Holdings{Memory: 40 << 30})
	r.rejected(r.update(settingsArg{MemoryAllocation: nat(40 << 30)}), intercanister.InsufficientCyclesInMemoryAllocation,
		"Cannot increase memory allocation to 40.00 GiB due to insufficient cycles. At least "+grouped(perDay.Sub(cycles.Of(1_000)))+" additional cycles are required.\n…")
	r.replied(r.update(settingsArg{FreezingThreshold: nat(1 << 40)})) // freezing itself is allowed
}

func TestComputeAllocationIsBoundedByTheSubnet(t *testing.T) {
	r := newRig(t)
	for i := range uint64(2) {
		r.add(10+i, bob).Canister.Settings.ComputeAllocation = 100
	}
	r.target.Canister.Settings.FreezingThreshold = 0
	r.rejected(r.update(settingsArg{ComputeAllocation: nat(100)}), intercanister.SubnetOversubscribed,
		"Canister requested a compute allocation of 100% which cannot be satisfied because the Subnet's remaining compute capacity is 99%.\nTry moving to another subnet. …")
	r.replied(r.update(settingsArg{ComputeAllocation: nat(99)}))
	r.replied(r.update(settingsArg{ComputeAllocation: nat(50)}))
}

func TestTheReservedLimitCannotGoUnderWhatIsReserved(t *testing.T) {
	r := newRig(t)
	r.target.Canister.Reserved = cycles.Of(5_000)
	r.rejected(r.update(settingsArg{ReservedLimit: nat(4_999)}), intercanister.ReservedCyclesLimitIsTooLow,
		"Cannot set the reserved cycles limit 4_999 below the reserved cycles balance of the canister 5_000.\n…")
	r.replied(r.update(settingsArg{ReservedLimit: nat(5_000)}))
}

func TestGuaranteedMemoryIsReservedOnAFullSubnet(t *testing.T) {
	r := newRig(t)
	r.sub.MemoryUsed = 760 << 30
	k := r.target.Canister
	k.Balance = cycles.Of(1_000_000_000_000_000)
	r.replied(r.update(settingsArg{MemoryAllocation: nat(1 << 30)}))
	reserved := r.sub.Fees.Reservation(760<<30, 1<<30)
	if reserved.IsZero() || k.Reserved != reserved || k.Balance.Add(reserved) != cycles.Of(1_000_000_000_000_000) {
		t.Errorf("reserved %s of %s", k.Reserved, reserved)
	}
}

func TestAllocationsOfARunningCanisterWait(t *testing.T) {
	r := newRig(t)
	r.target.Running = true
	if a := r.run(r.update(settingsArg{MemoryAllocation: nat(1)})); a.When != state.Busy {
		t.Errorf("%+v", a)
	}
}
