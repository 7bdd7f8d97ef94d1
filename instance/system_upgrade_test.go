package instance_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// upgrade upgrades a system canister to its own module, as its controller does.
func upgrade(t *testing.T, i *instance.Instance, name systemcanisters.Name) {
	t.Helper()
	module, err := name.Module()
	if err != nil {
		t.Fatal(err)
	}
	arg, err := candid.Marshal(management.Install{Mode: management.InstallMode{Upgrade: new(*management.UpgradeOptions)}, Canister: name.ID(), Module: module})
	if err != nil {
		t.Fatal(err)
	}
	now, err := i.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in := &replica.Ingress{
		Sender: principal.Canister(3), Receiver: principal.Management, Effective: name.ID(), Method: "install_code", Arg: arg, Expiry: now + replica.MaxIngressTTL/2,
	}
	rand.Read(in.ID[:])
	if receipt, err := i.Backend().Submit(t.Context(), in); err != nil || receipt.Reject != nil {
		t.Fatalf("the upgrade of %s: %v (%v)", name, receipt.Reject, err)
	}
	subnet := i.Driver().View().SubnetOf(name.ID()).ID
	if err := i.AwaitAnswer(t.Context(), subnet, in.ID); err != nil {
		t.Fatal(err)
	}
	answer, err := driver.Ask(t.Context(), i.Driver(), func(n *replica.Network) replica.IngressAnswer {
		answer, _ := n.IngressAnswer(subnet, in.ID)
		return answer
	})
	if err != nil || answer.Reject != nil {
		t.Fatalf("the upgrade of %s: %v, %v", name, answer.Reject, err)
	}
}

// question is a query without a certificate in its answer.
type question struct {
	name   systemcanisters.Name
	method string
	arg    any
}

// raw is the reply to a question as it is.
func (q *question) raw(t *testing.T, i *instance.Instance) []byte {
	t.Helper()
	encoded, err := candid.Marshal(q.arg)
	if err != nil {
		t.Fatal(err)
	}
	result, err := i.Backend().Query(t.Context(), &replica.Query{
		Sender: principal.Anonymous, Receiver: q.name.ID(), Effective: q.name.ID(), Subnet: i.Driver().View().SubnetOf(q.name.ID()).ID, Method: q.method, Arg: encoded,
	})
	if err != nil || result.Reject != nil {
		t.Fatalf("%s: %v, %v", q.method, result.Reject, err)
	}
	return result.Reply
}

func TestSystemCanistersKeepTheirStateOverAnUpgrade(t *testing.T) {
	i := system(t)
	type none struct{}
	type approval struct {
		Spender ownerAccount `ic:"spender"`
		Amount  candid.Nat   `ic:"amount"`
	}
	type transfer struct {
		To      ownerAccount `ic:"to"`
		Amount  candid.Nat   `ic:"amount"`
		Created *uint64      `ic:"created_at_time"`
	}
	type allowed struct {
		Account ownerAccount `ic:"account"`
		Spender ownerAccount `ic:"spender"`
	}
	type part struct {
		Start  candid.Nat `ic:"start"`
		Length candid.Nat `ic:"length"`
	}
	type done struct {
		Ok  *candid.Nat      `ic:"Ok,variant"`
		Err *candid.Reserved `ic:"Err,variant"`
	}
	anonymous, other := ownerAccount{principal.Anonymous}, ownerAccount{principal.Canister(9)}
	now, err := i.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sent := transfer{other, candid.NatOf(7_000_000_000), &now}
	ledgers := []systemcanisters.Name{systemcanisters.ICPToken, systemcanisters.CyclesToken}
	var questions []question
	for _, ledger := range ledgers {
		for method, arg := range map[string]any{"icrc1_transfer": sent, "icrc2_approve": approval{other, candid.NatOf(5)}} {
			if got := asked[done](t, i, ledger, method, arg); got.Ok == nil {
				t.Fatalf("%s: %s was refused", ledger, method)
			}
		}
		questions = append(questions,
			question{ledger, "icrc1_balance_of", anonymous}, question{ledger, "icrc1_balance_of", other},
			question{ledger, "icrc1_total_supply", none{}}, question{ledger, "icrc2_allowance", allowed{anonymous, other}})
	}
	id := systemcanisters.CyclesToken.ID()
	questions = append(questions,
		question{systemcanisters.CyclesToken, "icrc3_get_blocks", []part{{candid.NatOf(0), candid.NatOf(100)}}},
		question{systemcanisters.CyclesMinting, "get_default_subnets", none{}},
		question{systemcanisters.Registry, "get_subnet_for_canister", struct {
			Principal *principal.Principal `ic:"principal"`
		}{&id}})
	var before [][]byte
	for _, q := range questions {
		before = append(before, q.raw(t, i))
	}
	tip := lastBlock(t, i)
	for _, name := range systemcanisters.All() {
		upgrade(t, i, name)
	}
	for at, q := range questions {
		if after := q.raw(t, i); !bytes.Equal(after, before[at]) {
			t.Errorf("%s of %s answers %x, and before the upgrade %x", q.method, q.name, after, before[at])
		}
	}
	if after := lastBlock(t, i); !bytes.Equal(after, tip) {
		t.Errorf("the last block of the ICP ledger is certified as %x, and before the upgrade as %x", after, tip)
	}
	for _, ledger := range ledgers {
		if got := asked[done](t, i, ledger, "icrc1_transfer", sent); got.Err == nil {
			t.Errorf("%s takes a transaction a second time after an upgrade", ledger)
		}
	}
}

// lastBlock is the certified hash of the last block of the ICP ledger.
func lastBlock(t *testing.T, i *instance.Instance) []byte {
	t.Helper()
	tip := queried[struct {
		Certification *[]byte `ic:"certification"`
	}](t, i, systemcanisters.ICPToken, "tip_of_chain")
	if tip.Certification == nil {
		t.Fatal("the ledger has no certificate")
	}
	return certifiedData(t, i, systemcanisters.ICPToken, *tip.Certification)
}
