package management

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

const creationFee = 500_000_000_000

func TestACanisterIsCreatedWithTheCyclesOfTheCallLessTheFee(t *testing.T) {
	r := newRig(t)
	r.target.Canister.Version = 4
	c := r.byCanister(r.target, creationFee+123, "create_canister", createArg{Version: opt(uint64(4))})
	var made idArg
	r.replied(c, &made)
	born := r.st.Canisters.Get(made.Canister).Canister
	if born.Balance != cycles.Of(123) || !c.Attached.IsZero() || born.Consumed.Creation != cycles.Of(creationFee) {
		t.Errorf("balance %s, refund %s, consumed %s", born.Balance, c.Attached, born.Consumed.Creation)
	}
	if born.Version != 0 || born.Status != canister.Running || !slices.Equal(born.Settings.Controllers, []principal.Principal{r.target.ID()}) {
		t.Errorf("born as version %d, %s, controlled by %v", born.Version, born.Status, born.Settings.Controllers)
	}
	entry := born.History.Recent(9)[0]
	if born.History.Total != 1 || entry.Time != noon || entry.Version != 0 || !entry.Origin.FromCanister ||
		entry.Origin.Principal != r.target.ID() || *entry.Origin.Version != 4 {
		t.Errorf("history: %+v", entry)
	}
	creation := entry.Details.(canister.Creation)
	if !slices.Equal(creation.Controllers, born.Settings.Controllers) || creation.EnvironmentHash != nil {
		t.Errorf("creation: %+v", creation)
	}
}

func TestTooFewCyclesCreateNothingAndGoBack(t *testing.T) {
	r := newRig(t)
	r.rejected(r.byCanister(r.target, 1234, "create_canister", createArg{}), intercanister.InsufficientCyclesForCreateCanister,
		"Creating a canister requires a fee of 500_000_000_000 that is deducted from the canister's initial balance but only 1_234 cycles were received "+
			"with the create_canister request.\nTry sending more cycles with the request. See documentation: "+
			"https://internetcomputer.org/docs/current/references/execution-errors#create-canister-not-enough-cycles")
	if r.st.Canisters.Len() != 1 {
		t.Error("a canister was created")
	}
}

func TestASubnetThatIsFullGivesTheCyclesBack(t *testing.T) {
	r := newRig(t)
	r.full = intercanister.Rejectf(intercanister.MaxNumberOfCanistersReached, "full")
	r.rejected(r.byCanister(r.target, creationFee, "create_canister", createArg{}), intercanister.MaxNumberOfCanistersReached, "full")
}

func TestCreationWithoutAnArgumentMeansDefaults(t *testing.T) {
	r := newRig(t)
	var made idArg
	r.replied(r.byCanister(r.target, creationFee, "create_canister"), &made)
	c := r.byCanister(r.target, creationFee, "create_canister")
	c.Arg = []byte("rubbish")
	r.rejected(c, intercanister.InvalidManagementPayload, "Payload deserialization error.")
	crowd := make([]principal.Principal, 11)
	r.rejected(r.byCanister(r.target, creationFee, "create_canister", createArg{Settings: &settingsArg{Controllers: &crowd}}),
		intercanister.InvalidManagementPayload, "Payload deserialization error: Deserialize error: The number of elements exceeds maximum allowed 10")
}

func TestTheCreationFeeGrowsWithTheSubnetAndIsNothingOnSystemSubnets(t *testing.T) {
	r := newRig(t)
	r.sub.Fees = cycles.Application(34)
	r.rejected(r.byCanister(r.target, 1_307_692_307_691, "create_canister", createArg{}), intercanister.InsufficientCyclesForCreateCanister,
		"Creating a canister requires a fee of 1_307_692_307_692 …")
	r.sub.Fees = cycles.System(13)
	r.replied(r.byCanister(r.target, 0, "create_canister", createArg{}), new(idArg))
}

func TestAProvisionalCanisterHasCyclesOutOfNothing(t *testing.T) {
	r := newRig(t)
	create := func(a provisionalCreateArg) *canister.Canister {
		var made idArg
		r.replied(r.byUser(bob, "provisional_create_canister_with_cycles", a), &made)
		return r.st.Canisters.Get(made.Canister).Canister
	}
	born := create(provisionalCreateArg{})
	if born.Balance != cycles.Of(100_000_000_000_000) || !slices.Equal(born.Settings.Controllers, []principal.Principal{bob}) {
		t.Errorf("balance %s, controllers %v", born.Balance, born.Settings.Controllers)
	}
	if entry := born.History.Recent(1)[0]; entry.Origin.FromCanister || entry.Origin.Principal != bob {
		t.Errorf("history: %+v", entry)
	}
	if got := create(provisionalCreateArg{Amount: nat(5)}); got.Balance != cycles.Of(5) {
		t.Errorf("balance %s", got.Balance)
	}
	if got := create(provisionalCreateArg{Amount: nat(0), Specified: opt(principal.Canister(33))}); got.ID != principal.Canister(33) {
		t.Errorf("id %s", got.ID)
	}
	variables := []variable{{Name: "b", Value: "2"}, {Name: "a", Value: "1"}}
	got := create(provisionalCreateArg{Settings: &settingsArg{Controllers: &[]principal.Principal{}, Environment: &variables}})
	if len(got.Settings.Controllers) != 0 || got.Settings.Environment[0].Name != "a" {
		t.Errorf("settings: %+v", got.Settings)
	}
	if hash := got.History.Recent(1)[0].Details.(canister.Creation).EnvironmentHash; hash == nil || *hash != environmentHash(got.Settings.Environment) {
		t.Error("the history does not have the hash of the variables")
	}
}

func TestAProvisionalCreationByACanisterRefundsEverything(t *testing.T) {
	r := newRig(t)
	c := r.byCanister(r.target, 4321, "provisional_create_canister_with_cycles", provisionalCreateArg{})
	r.replied(c, new(idArg))
	if c.Attached != cycles.Of(4321) {
		t.Errorf("refund %s", c.Attached)
	}
}

func TestAProvisionalCanisterCannotTakeAnIdTheSubnetGivesItself(t *testing.T) {
	r := newRig(t)
	id := principal.Canister(100)
	r.rejected(r.byUser(bob, "provisional_create_canister_with_cycles", provisionalCreateArg{Specified: &id}), intercanister.InvalidManagementPayload,
		"The `specified_id` "+id.String()+" is invalid because it belongs to the canister allocation ranges of the test environment.\n…")
}

func TestAProvisionalAmountThatIsTooLargeFor128BitsCountsAsNone(t *testing.T) {
	r := newRig(t)
	var made idArg
	r.replied(r.byUser(bob, "provisional_create_canister_with_cycles", provisionalCreateArg{Amount: big(128)}), &made)
	if balance := r.st.Canisters.Get(made.Canister).Canister.Balance; balance != cycles.Of(DefaultProvisionalBalance) {
		t.Errorf("balance %s", balance)
	}
}
