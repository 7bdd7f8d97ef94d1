package control

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// describe describes an instance without asking its owner.
func describe(i *instance.Instance) *controlv1.Instance {
	about, view := i.About(), i.Driver().View()
	out := &controlv1.Instance{
		Name: i.Name(), State: controlv1.InstanceState_INSTANCE_STATE_RUNNING,
		Created: timestamppb.New(about.Created), ForkedFrom: about.ForkedFrom, Urls: about.URLs, RootKey: view.RootKey,
		DefaultEffectiveCanisterId: view.DefaultCanister().String(), Time: stamp(view.Time), Height: view.Height,
		Pacing: shownPacing(i.Pacing()), Outcalls: outcallMessages[about.Outcalls], Seed: about.Seed[:], StateDir: about.StateDir, Lease: about.Lease, Ephemeral: about.Journal == "",
		Offset: shownOffset(i.Pacing(), i.Offset()), OutcallsLocal: about.Reach.Local, OutcallTargets: about.Reach.Targets,
	}
	id, ancestors := i.Lineage()
	out.NetworkId = id
	for _, a := range ancestors {
		out.Ancestors = append(out.Ancestors, &controlv1.Ancestor{NetworkId: a.NetworkID, Height: a.Height})
	}
	if bug := i.Driver().Bug(); bug != nil {
		out.State, out.Failure = controlv1.InstanceState_INSTANCE_STATE_FAILED, bug.Error()
	}
	for n := range view.Subnets {
		out.Subnets = append(out.Subnets, subnetMessage(&view.Subnets[n]))
	}
	return out
}

func subnetMessage(s *replica.SubnetView) *controlv1.Subnet {
	out := &controlv1.Subnet{SubnetId: s.ID.String(), Kind: kindMessages[s.Kind], Nodes: uint32(len(s.Nodes)), PublicKey: s.PublicKey}
	for _, r := range s.Ranges {
		out.Ranges = append(out.Ranges, &controlv1.CanisterRange{First: r.Start.String(), Last: r.End.String()})
	}
	return out
}

// census counts the open parts of the network.
func census(ctx context.Context, i *instance.Instance) (*controlv1.Census, error) {
	c, err := driver.ReadValue(ctx, i.Driver(), (*replica.Network).Census)
	if err != nil {
		return nil, err
	}
	return &controlv1.Census{
		Canisters: uint64(c.Canisters), CallContexts: uint64(c.Contexts), Futures: uint64(c.Futures), QueuedMessages: uint64(c.Waiting),
		ParkedMessages: uint64(c.Parked), HeldMessages: uint64(c.Held), Outcalls: uint64(c.Outcalls), IngressMessages: uint64(c.Ingress),
	}, nil
}

// kindMessages maps the kinds of subnets for clients.
var kindMessages = map[replica.SubnetKind]controlv1.SubnetKind{
	replica.Application:         controlv1.SubnetKind_SUBNET_KIND_APPLICATION,
	replica.NNS:                 controlv1.SubnetKind_SUBNET_KIND_NNS,
	replica.II:                  controlv1.SubnetKind_SUBNET_KIND_II,
	replica.SNS:                 controlv1.SubnetKind_SUBNET_KIND_SNS,
	replica.Fiduciary:           controlv1.SubnetKind_SUBNET_KIND_FIDUCIARY,
	replica.Bitcoin:             controlv1.SubnetKind_SUBNET_KIND_BITCOIN,
	replica.TestKeys:            controlv1.SubnetKind_SUBNET_KIND_TEST_KEYS,
	replica.System:              controlv1.SubnetKind_SUBNET_KIND_SYSTEM,
	replica.VerifiedApplication: controlv1.SubnetKind_SUBNET_KIND_VERIFIED_APPLICATION,
	replica.CloudEngine:         controlv1.SubnetKind_SUBNET_KIND_CLOUD_ENGINE,
}

func kindOf(kind controlv1.SubnetKind) (replica.SubnetKind, bool) {
	if kind == controlv1.SubnetKind_SUBNET_KIND_UNSPECIFIED {
		return replica.Application, true
	}
	for ours, theirs := range kindMessages {
		if theirs == kind {
			return ours, true
		}
	}
	return 0, false
}

// outcallMessages maps the modes for clients.
var outcallMessages = [...]controlv1.OutcallMode{
	instance.AllowOutcalls:      controlv1.OutcallMode_OUTCALL_MODE_ALLOW,
	instance.HoldOutcalls:       controlv1.OutcallMode_OUTCALL_MODE_HOLD,
	instance.DenyOutcalls:       controlv1.OutcallMode_OUTCALL_MODE_DENY,
	instance.StrictOutcalls:     controlv1.OutcallMode_OUTCALL_MODE_STRICT,
	instance.ReplicatedOutcalls: controlv1.OutcallMode_OUTCALL_MODE_REPLICATED,
}

// principalOf parses a principal; field is its name.
func principalOf(field, text string) (principal.Principal, error) {
	p, err := principal.Parse(text)
	if err != nil {
		return p, BadField.Refuse(field, quoted(text), err)
	}
	return p, nil
}
