package control

import (
	"context"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// CreateCanister makes an empty canister with newly created cycles.
func (s *canisters) CreateCanister(ctx context.Context, in *controlv1.CreateCanisterRequest) (*controlv1.CreateCanisterResponse, error) {
	instance, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	o := &order{instance: instance, method: "provisional_create_canister_with_cycles"}
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
	view := i.Node().View()
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

// whyNoHost returns why no subnet of an instance has a canister id: it lacks the kind of subnet that has it, as on mainnet,
// or no kind has it.
func whyNoHost(id principal.Principal) string {
	n, ok := id.CanisterNumber()
	if !ok {
		return "it is not the id of a canister"
	}
	var have []string
	for _, kind := range replica.SubnetKinds() {
		for _, r := range kind.Ranges() {
			if r.Contains(n) {
				others := "nns,"
				if kind == replica.NNS {
					others = ""
				}
				return fmt.Sprintf("subnets of kind %s have such ids, and the instance has none: make one that has (CreateInstance, or canisterd instance create --subnet %s%[1]s,application)", kind, others)
			}
		}
		if len(kind.Ranges()) > 0 {
			have = append(have, kind.String())
		}
	}
	return "no kind of subnet has such ids: take one that " + strings.Join(have, ", ") + " have on mainnet, or leave it out"
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
