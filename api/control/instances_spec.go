package control

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// specOf parses the specification of an instance.
func specOf(in *controlv1.CreateInstanceRequest) (*instance.Spec, error) {
	spec := &instance.Spec{
		Placement: instance.Placement{Name: in.GetInstance(), Listen: in.GetHttpListen(), Lease: in.GetLease(), Ephemeral: in.GetEphemeral()}, StateDir: in.GetStateDir(),
		Reach: instance.OutcallReach{Local: in.GetOutcallsLocal(), Targets: in.GetOutcallTargets()},
	}
	spec.RateLimits = in.GetRateLimits()
	var err error
	if spec.SystemCanisters, err = systemCanistersOf(in.GetSystemCanisters()); err != nil {
		return nil, err
	}
	if spec.Seed, err = seedOf(in.GetSeed()); err != nil {
		return nil, err
	}
	if in.GetStartTime() != nil {
		if spec.Start, err = instant("start_time", in.GetStartTime()); err != nil {
			return nil, err
		}
	}
	if spec.Pacing, err = readPacing(in.GetPacing()); err != nil {
		return nil, err
	}
	if spec.Outcalls, err = outcallsOf(in.GetOutcalls()); err != nil {
		return nil, err
	}
	for i, s := range in.GetSubnets() {
		config, err := subnetOf(fmt.Sprintf("subnets[%d]", i), s)
		if err != nil {
			return nil, err
		}
		spec.Subnets = append(spec.Subnets, config)
	}
	return spec, nil
}

// systemCanistersOf parses names of system canisters.
func systemCanistersOf(texts []string) ([]systemcanisters.Name, error) {
	names, err := systemcanisters.Parse(texts)
	if err != nil {
		return nil, BadField.Refuse("system_canisters", strings.Join(texts, ","), fmt.Sprintf("expected all or some of %v", systemcanisters.All()))
	}
	return names, nil
}

// seedOf parses a seed; nil for none.
func seedOf(given []byte) (*[32]byte, error) {
	if len(given) == 0 {
		return nil, nil
	}
	seed := new([32]byte)
	if len(given) > len(seed) {
		return nil, BadField.Refuse("seed", fmt.Sprintf("%d bytes", len(given)), "expected at most 32 bytes")
	}
	copy(seed[:], given)
	return seed, nil
}

// outcallsOf parses a mode; nil for none.
func outcallsOf(mode controlv1.OutcallMode) (*instance.OutcallMode, error) {
	if mode == controlv1.OutcallMode_OUTCALL_MODE_UNSPECIFIED {
		return nil, nil
	}
	for ours, theirs := range outcallMessages {
		if theirs == mode {
			known := instance.OutcallMode(ours)
			return &known, nil
		}
	}
	return nil, BadField.Refuse("outcalls", mode, "expected a mode this daemon knows")
}

func subnetOf(field string, in *controlv1.SubnetSpec) (config replica.SubnetConfig, err error) {
	kind, known := kindOf(in.GetKind())
	if !known {
		return config, BadField.Refuse(field+".kind", in.GetKind(), "expected a kind this daemon knows")
	}
	config.Kind = kind
	if config.Nodes = int(in.GetNodes()); config.Nodes > MaxNodes {
		return config, BadField.Refuse(field+".nodes", config.Nodes, fmt.Sprintf("expected at most %d, or 0 for as many as on mainnet", MaxNodes))
	}
	if in.GetSubnetId() != "" {
		if config.ID, err = principalOf(field+".subnet_id", in.GetSubnetId()); err != nil {
			return config, err
		}
	}
	switch in.GetFees() {
	case controlv1.FeeSchedule_FEE_SCHEDULE_UNSPECIFIED, controlv1.FeeSchedule_FEE_SCHEDULE_MAINNET:
	case controlv1.FeeSchedule_FEE_SCHEDULE_FREE:
		config.Free = true
	default:
		return config, BadField.Refuse(field+".fees", in.GetFees(), "expected a schedule this daemon knows")
	}
	for i, text := range in.GetAdmins() {
		admin, err := principalOf(fmt.Sprintf("%s.admins[%d]", field, i), text)
		if err != nil {
			return config, err
		}
		config.Admins = append(config.Admins, admin)
	}
	config.NoRateLimits = in.GetNoRateLimits()
	return config, nil
}
