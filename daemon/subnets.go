package daemon

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// Subnet is the basic information about a subnet.
type Subnet struct {
	ID principal.Principal `json:"id"`
	// Kind is what ParseSubnets reads, such as nns.
	Kind string `json:"kind"`
	// First is the first canister id the subnet hosts: an effective id for requests that create canisters there.
	First principal.Principal `json:"first_canister"`
}

// kinds are the subnet kinds in the order of help texts.
var kinds = []replica.SubnetKind{
	replica.Application, replica.NNS, replica.II, replica.SNS, replica.Fiduciary, replica.Bitcoin, replica.TestKeys,
	replica.System, replica.VerifiedApplication, replica.CloudEngine,
}

// ParseSubnets reads the names of subnet kinds, in any case, with or without underscores. None gives none.
func ParseSubnets(names []string) ([]replica.SubnetConfig, error) {
	var subnets []replica.SubnetConfig
	for _, name := range names {
		kind, ok := kindOf(name)
		if !ok {
			known := make([]string, len(kinds))
			for i, k := range kinds {
				known[i] = k.String()
			}
			return nil, fmt.Errorf("invalid kind of subnet %q: expected one of %s", name, strings.Join(known, ", "))
		}
		subnets = append(subnets, replica.SubnetConfig{Kind: kind})
	}
	return subnets, nil
}

// ParseAdmins reads the principals of subnet admins.
func ParseAdmins(texts []string) ([]principal.Principal, error) {
	admins := make([]principal.Principal, len(texts))
	for i, text := range texts {
		admin, err := principal.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("the subnet admin: %w", err)
		}
		admins[i] = admin
	}
	return admins, nil
}

// administered returns the subnets with admins on all that can have some. This makes them free of charge.
func administered(subnets []replica.SubnetConfig, admins []principal.Principal) ([]replica.SubnetConfig, error) {
	subnets = slices.Clone(subnets)
	found := false
	for i := range subnets {
		if s := &subnets[i]; s.Kind == replica.Application || s.Kind == replica.CloudEngine {
			s.Free, s.Admins, found = true, slices.Concat(s.Admins, admins), true
		}
	}
	if !found {
		return nil, errors.New("no subnet of the network can have admins: only application subnets and cloud engines have some")
	}
	return subnets, nil
}

func kindOf(name string) (replica.SubnetKind, bool) {
	plain := strings.ReplaceAll(name, "_", "")
	for _, k := range kinds {
		if strings.EqualFold(plain, strings.ReplaceAll(k.String(), "_", "")) {
			return k, true
		}
	}
	return 0, false
}
