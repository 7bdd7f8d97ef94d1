package instance_test

import (
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
	"github.com/canisterd/canisterd/test/instancetest"
)

// asked calls a method of a system canister as the anonymous user, and reads the reply.
func asked[T any](t *testing.T, i *instance.Instance, name systemcanisters.Name, method string, arg any) (reply T) {
	t.Helper()
	encoded, err := candid.Marshal(arg)
	if err != nil {
		t.Fatal(err)
	}
	answer := instancetest.Update(t, i, name.ID(), name.ID(), method, encoded)
	if err := candid.Unmarshal(answer, &reply); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return reply
}

type ownerAccount struct {
	Owner principal.Principal `ic:"owner"`
}

type tokens struct {
	E8s uint64 `ic:"e8s"`
}

type accepted struct {
	Ok  *uint64          `ic:"Ok,variant"`
	Err *candid.Reserved `ic:"Err,variant"`
}

// system is an instance with all system canisters.
func system(t *testing.T) *instance.Instance {
	t.Helper()
	r := registry(t, instance.Config{})
	return made(t, r, &instance.Spec{Pacing: instance.Pacing{Mode: instance.Auto}, SystemCanisters: systemcanisters.All()})
}

func TestTheAnonymousUserIsRichOnTheLedgers(t *testing.T) {
	i := system(t)
	anonymous := ownerAccount{principal.Anonymous}
	if got := asked[candid.Nat](t, i, systemcanisters.ICPToken, "icrc1_balance_of", anonymous).String(); got != "100000000000000000" {
		t.Errorf("%s e8s, want a billion ICP", got)
	}
	if got := asked[candid.Nat](t, i, systemcanisters.CyclesToken, "icrc1_balance_of", anonymous).String(); got != "170141183460469231731687303715884105727" {
		t.Errorf("%s cycles, want 2^127-1", got)
	}
}

func TestSystemCanistersBeginWithAHundredTrillionCycles(t *testing.T) {
	i := system(t)
	for _, name := range []systemcanisters.Name{systemcanisters.Registry, systemcanisters.ICPToken, systemcanisters.CyclesMinting} {
		report, err := driver.Ask(t.Context(), i.Driver(), func(n *replica.Network) introspect.CanisterReport {
			report, _ := n.Introspect().Report(name.ID())
			return report
		})
		if err != nil || report.Balance != cycles.Of(100_000_000_000_000) {
			t.Errorf("%s has %s cycles, want 100 T: %v", name, report.Balance, err)
		}
	}
}

func TestTheRegistryKnowsTheSubnetOfACanister(t *testing.T) {
	i := system(t)
	type found struct {
		Ok *struct {
			Subnet *principal.Principal `ic:"subnet_id"`
		} `ic:"Ok,variant"`
		Err *string `ic:"Err,variant"`
	}
	id := systemcanisters.CyclesToken.ID()
	got := asked[found](t, i, systemcanisters.Registry, "get_subnet_for_canister", struct {
		Principal *principal.Principal `ic:"principal"`
	}{&id})
	want := i.Driver().View().SubnetOf(id).ID
	if got.Ok == nil || got.Ok.Subnet == nil || *got.Ok.Subnet != want {
		t.Errorf("the subnet of the cycles ledger is %+v, want %s", got, want)
	}
}

func TestICPBecomesCyclesOfACanister(t *testing.T) {
	i := system(t)
	type creation struct {
		Amount candid.Nat `ic:"amount"`
	}
	type created struct {
		Ok *struct {
			Canister principal.Principal `ic:"canister_id"`
		} `ic:"Ok,variant"`
		Err *candid.Reserved `ic:"Err,variant"`
	}
	made := asked[created](t, i, systemcanisters.CyclesToken, "create_canister", creation{candid.NatOf(2_000_000_000_000)})
	if made.Ok == nil {
		t.Fatalf("the canister was not created: %+v", made)
	}
	id := made.Ok.Canister
	if kind := i.Driver().View().SubnetOf(id).Kind.String(); kind != "application" {
		t.Errorf("it is on a subnet of the kind %s", kind)
	}
	block := asked[accepted](t, i, systemcanisters.ICPToken, "transfer", struct {
		Memo   uint64 `ic:"memo"`
		Amount tokens `ic:"amount"`
		Fee    tokens `ic:"fee"`
		To     []byte `ic:"to"`
	}{0x50555054, tokens{100_000_000}, tokens{10_000}, accountOf(t, i, systemcanisters.CyclesMinting.ID(), id)})
	if block.Ok == nil {
		t.Fatal("the ledger refused the payment")
	}
	type minted struct {
		Ok  *candid.Nat      `ic:"Ok,variant"`
		Err *candid.Reserved `ic:"Err,variant"`
	}
	got := asked[minted](t, i, systemcanisters.CyclesMinting, "notify_top_up", struct {
		Block    uint64              `ic:"block_index"`
		Canister principal.Principal `ic:"canister_id"`
	}{*block.Ok, id})
	if got.Ok == nil || got.Ok.String() != "3520000000000" {
		t.Errorf("one ICP became %+v, want 3.52 T cycles", got.Ok)
	}
}

// accountOf is the account of a canister whose subaccount names another one, as the ledger says it.
func accountOf(t *testing.T, i *instance.Instance, owner, beneficiary principal.Principal) []byte {
	t.Helper()
	subaccount := make([]byte, 32)
	named := beneficiary.Bytes()
	subaccount[0] = byte(len(named))
	copy(subaccount[1:], named)
	return asked[[]byte](t, i, systemcanisters.ICPToken, "account_identifier", struct {
		Owner      principal.Principal `ic:"owner"`
		Subaccount *[]byte             `ic:"subaccount"`
	}{owner, &subaccount})
}
