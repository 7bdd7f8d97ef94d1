package control

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// CreateCanister makes an empty canister with newly created cycles.
func (s *canisters) CreateCanister(ctx context.Context, in *controlv1.CreateCanisterRequest) (*controlv1.CreateCanisterResponse, error) {
	instance, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	o := &preparedCall{instance: instance, method: "provisional_create_canister_with_cycles"}
	if o.sender, err = senderOf("sender", in.GetSender()); err != nil {
		return nil, err
	}
	var arg management.Create
	if arg.Settings, err = settingsFrom(in.GetSettings()); err != nil {
		return nil, err
	}
	if in.GetCycles() != "" {
		amount, err := amountOf("cycles", in.GetCycles())
		if err != nil {
			return nil, err
		}
		arg.Amount = natOf(amount)
	}
	if in.GetAddSubnet() {
		if err := addSubnetFor(ctx, instance, in.GetCanisterId()); err != nil {
			return nil, err
		}
	}
	if arg.Specified, o.effective, err = placed(instance, in.GetCanisterId(), in.GetSubnetId()); err != nil {
		return nil, err
	}
	a, err := manage(ctx, o, arg)
	if err != nil {
		return nil, err
	}
	var made management.Canister
	if err := candid.Unmarshal(a.Reply, &made); err != nil {
		return nil, fmt.Errorf("reading the id of the new canister: %w", err)
	}
	return &controlv1.CreateCanisterResponse{CanisterId: made.ID.String()}, nil
}

// placed returns the requested id of a canister, nil for any, and the canister id that selects its subnet.
func placed(i *instance.Instance, canister, subnet string) (wanted *principal.Principal, effective principal.Principal, err error) {
	view := i.Driver().View()
	effective = view.DefaultCanister()
	if subnet != "" {
		id, err := requiredPrincipal("subnet_id", subnet)
		if err != nil {
			return nil, effective, err
		}
		found := view.Subnet(id)
		if found == nil || len(found.Ranges) == 0 {
			return nil, effective, BadField.Refuse("subnet_id", subnet, "there is no such subnet in the instance")
		}
		effective = found.Ranges[len(found.Ranges)-1].Start
	}
	if canister == "" {
		return nil, effective, nil
	}
	id, err := requiredPrincipal("canister_id", canister)
	if err != nil {
		return nil, effective, err
	}
	host := view.SubnetOf(id)
	switch {
	case host == nil:
		return nil, effective, BadField.Refuse("canister_id", canister, whyNoHost(id))
	case subnet != "" && host.ID.String() != subnet:
		return nil, effective, BadField.Refuse("subnet_id", subnet, "a canister with the id "+canister+" is on subnet "+host.ID.String())
	}
	return &id, id, nil
}

// whyNoHost returns why no subnet of an instance has a canister id.
func whyNoHost(id principal.Principal) string {
	number, ok := id.CanisterNumber()
	if !ok {
		return "it is not the id of a canister"
	}
	kind := replica.SubnetWith(number).Kind
	if kind == replica.NNS {
		return "subnets of kind nns have such ids, and the instance has none: create one that has (CreateInstance, or canisterd instance create --subnet nns,application)"
	}
	return fmt.Sprintf("a subnet of kind %s has such ids, and the instance has none: add one (add_subnet, or canisterd canister create --add-subnet)", kind)
}

// addSubnetFor adds a subnet that has a canister id, if the instance has none.
func addSubnetFor(ctx context.Context, i *instance.Instance, canister string) error {
	if canister == "" {
		return BadField.Refuse("add_subnet", true, "set canister_id: its id says which kind of subnet is added")
	}
	id, err := requiredPrincipal("canister_id", canister)
	if err != nil || i.Driver().View().SubnetOf(id) != nil {
		return err
	}
	number, ok := id.CanisterNumber()
	if !ok {
		return BadField.Refuse("canister_id", canister, whyNoHost(id))
	}
	result, err := i.Driver().Apply(ctx, &replica.AddSubnet{Config: replica.SubnetWith(number)})
	if err != nil {
		return err
	}
	if result.Refusal != nil {
		return BadField.Refuse("add_subnet", true, result.Refusal.Text)
	}
	_, err = i.Driver().Round(ctx) // views show the subnet from its end on
	return err
}

// DeleteCanister deletes a canister, and stops it before if requested.
func (s *canisters) DeleteCanister(ctx context.Context, in *controlv1.DeleteCanisterRequest) (*controlv1.DeleteCanisterResponse, error) {
	c, err := s.subject(ctx, in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	if in.GetStop() {
		if err := c.manage(ctx, "stop_canister", management.Canister{ID: c.id}); err != nil {
			return nil, err
		}
	}
	if err := c.manage(ctx, "delete_canister", management.Canister{ID: c.id}); err != nil {
		return nil, err
	}
	return &controlv1.DeleteCanisterResponse{}, nil
}
