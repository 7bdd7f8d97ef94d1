package systemcanisters

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// Name is the name of a system canister, as PocketIC names it in icp_features.
type Name string

// The system canisters there are.
const (
	Registry      Name = "registry"
	ICPToken      Name = "icp_token"
	CyclesMinting Name = "cycles_minting"
	CyclesToken   Name = "cycles_token"
	// InternetIdentity has a module that only its publisher gives away (published.go).
	InternetIdentity Name = "ii"
)

// All are the names of the canisters whose modules are here, in the order in which they are installed.
func All() []Name { return []Name{Registry, ICPToken, CyclesMinting, CyclesToken} }

// known are all names, in the order in which the canisters are installed.
func known() []Name { return append(All(), InternetIdentity) }

// Parse reads names; the word all stands for those whose modules are here.
func Parse(texts []string) ([]Name, error) {
	var names []Name
	for _, text := range texts {
		switch name := Name(text); {
		case text == "all":
			names = append(names, All()...)
		case slices.Contains(known(), name):
			names = append(names, name)
		default:
			return nil, fmt.Errorf("invalid system canister %q: expected all or one of %s", text, listed())
		}
	}
	return names, nil
}

func listed() string {
	var texts []string
	for _, name := range known() {
		texts = append(texts, string(name))
	}
	return strings.Join(texts, ", ")
}

// place is the mainnet id of a canister, the kind of its subnet, and the file of its module here; "" for none.
type place struct {
	id   principal.Principal
	kind replica.SubnetKind
	file string
}

// Indexes of canister ids on mainnet.
const (
	registryIndex      = 0
	governanceIndex    = 1
	icpLedgerIndex     = 2
	rootIndex          = 3
	cyclesMintingIndex = 4
	identityIndex      = 7
	cyclesLedgerIndex  = 0x2100002
)

// place is where the canister of a known name is.
func (n Name) place() place {
	switch n {
	case Registry:
		return place{principal.Canister(registryIndex), replica.NNS, "registry"}
	case ICPToken:
		return place{principal.Canister(icpLedgerIndex), replica.NNS, "icp_ledger"}
	case CyclesMinting:
		return place{principal.Canister(cyclesMintingIndex), replica.NNS, "cycles_minting"}
	case InternetIdentity:
		return place{principal.Canister(identityIndex), replica.II, ""}
	default:
		return place{principal.Canister(cyclesLedgerIndex), replica.II, "cycles_ledger"}
	}
}

// ID is the canister's id, the one on mainnet.
func (n Name) ID() principal.Principal { return n.place().id }

// Kind is the kind of the subnet that hosts the canister.
func (n Name) Kind() replica.SubnetKind { return n.place().kind }

// Subnets are subnets with those that system canisters need: missing ones are added, the root subnet in front and others
// at the end, so that the canister ids of the given ones stay as they are.
func Subnets(given []replica.SubnetConfig, names []Name) []replica.SubnetConfig {
	subnets := slices.Clone(given)
	for _, name := range names {
		kind := name.Kind()
		if slices.ContainsFunc(subnets, func(s replica.SubnetConfig) bool { return s.Kind == kind }) {
			continue
		}
		at := len(subnets)
		if kind == replica.NNS {
			at = 0
		}
		subnets = slices.Insert(subnets, at, replica.SubnetConfig{Kind: kind})
	}
	return subnets
}

//go:embed *.wasm.gz
var modules embed.FS

// Module is the canister's module, as it is here.
func (n Name) Module() ([]byte, error) {
	packed, err := modules.ReadFile(n.place().file + ".wasm.gz")
	if err != nil {
		return nil, fmt.Errorf("canisterd has no module of its own for %s", n)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpacking the module of %s: %w", n, err)
	}
	return io.ReadAll(reader)
}

// ModuleOf returns the module of this package that has a SHA-256, nil for none.
func ModuleOf(hash [32]byte) ([]byte, error) {
	for _, name := range All() {
		module, err := name.Module()
		if err != nil {
			return nil, err
		}
		if sha256.Sum256(module) == hash {
			return module, nil
		}
	}
	return nil, nil
}
