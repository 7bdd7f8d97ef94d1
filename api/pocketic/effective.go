package pocketic

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// effectivePrincipal is the destination of a call: "None", {"SubnetId": bytes} or {"CanisterId": bytes}. Both fields
// are nil for None.
type effectivePrincipal struct {
	subnet, canister []byte
}

// UnmarshalJSON reads the three forms.
func (p *effectivePrincipal) UnmarshalJSON(text []byte) error {
	if text[0] == '"' || text[0] == 'n' {
		return nil // "None", or null
	}
	var in struct {
		Subnet   []byte `json:"SubnetId"`
		Canister []byte `json:"CanisterId"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	p.subnet, p.canister = in.Subnet, in.Canister
	return nil
}

// MarshalJSON writes them.
func (p effectivePrincipal) MarshalJSON() ([]byte, error) {
	switch {
	case p.subnet != nil:
		return labeled("SubnetId", p.subnet), nil
	case p.canister != nil:
		return labeled("CanisterId", p.canister), nil
	}
	return []byte(`"None"`), nil
}

// labeled returns an object with one field of bytes.
func labeled(field string, value []byte) []byte {
	text := append([]byte(`{"`), field...)
	text = append(text, `":"`...)
	return append(base64.StdEncoding.AppendEncode(text, value), `"}`...)
}

// destination is the destination of a call for the network.
type destination struct {
	effective principal.Principal
	subnet    principal.Principal
	bySubnet  bool // to the management canister of the subnet, about no canister
}

// destination finds the subnet of a call.
func (e *entry) destination(ctx context.Context, in *rawCall, receiver principal.Principal) (destination, error) {
	if receiver != principal.Management {
		return e.addressed(ctx, receiver)
	}
	about := management.ReadSubject(in.Payload)
	switch {
	case replica.FindManagementMethod(in.Method).AnyHost:
		return e.birthplace(ctx, in, &about)
	case about.Canister != nil:
		return e.hosted(ctx, *about.Canister)
	case about.Target != nil:
		return e.hosted(ctx, *about.Target)
	case in.Effective.subnet != nil:
		return e.management(ctx, in.Effective.subnet)
	case in.Effective.canister != nil:
		id, err := readID(in.Effective.canister, "effective canister id")
		if err != nil {
			return destination{}, err
		}
		return e.hosted(ctx, id)
	}
	return e.hosted(ctx, e.instance.Driver().View().DefaultCanister())
}

// addressed returns the subnet of a receiver: a canister, or a subnet itself.
func (e *entry) addressed(ctx context.Context, receiver principal.Principal) (destination, error) {
	to, unhosted := e.hosted(ctx, receiver)
	if unhosted == nil {
		return to, nil
	}
	isSubnet, err := driver.ReadValue(ctx, e.instance.Driver(), func(n *replica.Network) bool { return n.HasSubnet(receiver) })
	if err == nil && !isSubnet {
		err = unhosted
	}
	return destination{subnet: receiver, bySubnet: true}, err
}

// hosted returns the subnet of a canister id.
func (e *entry) hosted(ctx context.Context, id principal.Principal) (destination, error) {
	subnet, err := driver.ReadValue(ctx, e.instance.Driver(), func(n *replica.Network) *principal.Principal {
		if subnet, ok := n.HostOf(id); ok {
			return &subnet
		}
		return nil
	})
	switch {
	case err != nil:
		return destination{}, err
	case subnet == nil:
		return destination{}, badIngress("Canister " + id.String() + " does not belong to any subnet.")
	}
	return destination{effective: id, subnet: *subnet}, nil
}

// management returns the management canister of a subnet.
func (e *entry) management(ctx context.Context, raw []byte) (destination, error) {
	id, err := e.existing(ctx, raw)
	return destination{subnet: id, bySubnet: true}, err
}

// birthplace returns where to make a canister: by its requested id, by the effective principal, or the default place.
func (e *entry) birthplace(ctx context.Context, in *rawCall, about *management.Subject) (destination, error) {
	view := e.instance.Driver().View()
	id := view.DefaultCanister()
	switch {
	case about.Specified != nil:
		id = *about.Specified
	case in.Effective.subnet != nil:
		to, err := e.management(ctx, in.Effective.subnet)
		if err != nil {
			return destination{}, err
		}
		ranges := view.Subnet(to.subnet).Ranges
		id = ranges[len(ranges)-1].Start
	case in.Effective.canister != nil:
		var err error
		if id, err = readID(in.Effective.canister, "effective canister id"); err != nil {
			return destination{}, err
		}
	}
	if to, found := e.hostOf(ctx, id); found {
		return to, nil
	}
	if err := e.addMainnetSubnet(ctx, id); err != nil {
		return destination{}, err
	}
	return e.hosted(ctx, id)
}

func (e *entry) hostOf(ctx context.Context, id principal.Principal) (destination, bool) {
	to, err := e.hosted(ctx, id)
	return to, err == nil
}

// noBirthplace is for a canister id that no subnet of the instance hosts.
func noBirthplace(id principal.Principal) error {
	if number, ok := id.CanisterNumber(); ok && number < mainnetBlock {
		return badIngress("The effective canister ID " + id.String() + " belongs to the NNS subnet on the IC mainnet for which PocketIC provides a `SubnetKind`: please set up your PocketIC instance with a subnet of that `SubnetKind`.")
	}
	return badIngress("The effective canister ID " + id.String() + " does not belong to an existing subnet and it is not a mainnet canister ID.")
}
