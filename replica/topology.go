package replica

import (
	"errors"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// SubnetKind says which kind of mainnet subnet a subnet is: it determines the subnet's type, size, fees and canister
// ranges.
type SubnetKind uint8

// The kinds of subnets. The first subnet of a network (in the order of its configuration, an NNS before all) is the
// root subnet.
const (
	Application SubnetKind = iota
	NNS
	II
	SNS
	Fiduciary
	Bitcoin
	TestKeys // holds the threshold keys for tests
	System
	VerifiedApplication
	CloudEngine
)

// Range is an inclusive range of canister numbers (principal.Canister).
type Range = state.Range

type kindProperties struct {
	name, kind string // kind: the value at /subnet/{id}/type
	system     bool
	nodes      int
	id         string // mainnet's id
	ranges     []Range
}

func span(first, last uint64) Range { return Range{First: first, Last: last} }

// block returns the canister ids of a mainnet subnet: 2^20 of them.
func block(first uint64) Range { return span(first, first+1<<20-1) }

func (k SubnetKind) properties() kindProperties {
	switch k {
	case NNS:
		// Its id belongs to its key, which is not mainnet's: agents derive the id of the root subnet from the root key.
		// SubnetConfig.ID can override it.
		return kindProperties{"nns", "system", true, 40, "", []Range{span(0, 6), span(8, 0xfffff)}}
	case II:
		return kindProperties{"ii", "system", true, 34, "uzr34-akd3s-xrdag-3ql62-ocgoh-ld2ao-tamcv-54e7j-krwgb-2gm4z-oqe", []Range{span(7, 7), block(0x2100000)}}
	case SNS:
		return kindProperties{"sns", "application", false, 34, "x33ed-h457x-bsgyx-oqxqf-6pzwv-wkhzr-rm2j3-npodi-purzm-n66cg-gae", []Range{block(0x2000000)}}
	case Fiduciary:
		return kindProperties{"fiduciary", "application", false, 34, "pzp6e-ekpqk-3c5x7-2h6so-njoeq-mt45d-h3h6c-q3mxf-vpeq5-fk5o7-yae", []Range{block(0x2300000)}}
	case Bitcoin:
		return kindProperties{"bitcoin", "system", true, 13, "w4rem-dv5e3-widiz-wbpea-kbttk-mnzfm-tzrc7-svcj3-kbxyb-zamch-hqe", []Range{block(0x1a00000)}}
	case TestKeys:
		return kindProperties{"test_keys", "application", false, 13, "fuqsr-in2lc-zbcjj-ydmcw-pzq7h-4xm2z-pto4i-dcyee-5z4rz-x63ji-nae", []Range{block(0x1d00000)}}
	case System:
		return kindProperties{"system", "system", true, 13, "", nil}
	case VerifiedApplication:
		return kindProperties{"verified_application", "verified_application", false, 13, "", nil}
	case CloudEngine:
		return kindProperties{"cloud_engine", "cloud_engine", false, 13, "", nil}
	default:
		return kindProperties{"application", "application", false, 13, "", nil}
	}
}

// SubnetKinds returns all kinds of subnets.
func SubnetKinds() (all []SubnetKind) {
	for k := Application; k <= CloudEngine; k++ {
		all = append(all, k)
	}
	return all
}

// Ranges returns the canister ids that a subnet of the kind has beside those that it allocates: mainnet's.
func (k SubnetKind) Ranges() []Range { return k.properties().ranges }

// String returns the name for users, in lower case, as in the control API.
func (k SubnetKind) String() string { return k.properties().name }

// SubnetConfig describes a new subnet. The zero value is an application subnet of 13 nodes.
type SubnetConfig struct {
	Kind  SubnetKind
	Nodes int // 0: as on mainnet
	// ID is the subnet's id; if it is empty, the id is mainnet's if the kind has one, else the one that belongs to the
	// subnet's key.
	ID principal.Principal
	// Ranges are hosted in addition to those of the kind and the allocation range.
	Ranges []Range
	// Free makes everything free of charge.
	Free bool
	// Occupied is the number of bytes that count as used by canisters which do not exist: it simulates a subnet that is
	// nearly full.
	Occupied uint64
	// NoRateLimits lets canisters change as much memory and install as often as they like. System subnets always do.
	NoRateLimits bool
	// Benchmarking lets messages run without a limit of instructions, in one round.
	Benchmarking bool
	// Admins are the subnet admins: they may create canisters by messages of users, list all canisters, and stop,
	// start, uninstall, delete and inspect each of them. Only free application subnets and free cloud engines have
	// admins, at most MaxSubnetAdmins.
	Admins []principal.Principal
	// Added says that the subnet was added to a running network (AddSubnet): it holds no threshold keys.
	Added bool

	// number counts the subnets of the network in the order in which they were made: the keys and the allocation range
	// follow from it. Unlike the position, it stays the same when another subnet is deleted.
	number int
}

// administered reports whether the subnet can have admins.
func (c *SubnetConfig) administered() bool {
	return c.Free && (c.Kind == Application || c.Kind == CloudEngine)
}

func (c *SubnetConfig) check() error {
	switch {
	case len(c.Admins) > 0 && !c.administered():
		return errors.New("only a free application subnet or cloud engine can have admins")
	case len(c.Admins) > MaxSubnetAdmins:
		return fmt.Errorf("a subnet has at most %d admins, got %d", MaxSubnetAdmins, len(c.Admins))
	}
	return nil
}

// allocation returns the k-th range from which subnets of a network take new canister ids: blocks of 2^20 from the top
// of the numbers downwards, as in PocketIC. Their start follows from the last three bytes of the seed, so that networks
// with random seeds have different canister ids; a seed of up to 29 bytes starts at the top. The blocks of two such
// networks are MaxSubnets apart, and far above those of mainnet.
func allocation(seed *[32]byte, k int) Range {
	drawn := uint64(seed[29])<<16 | uint64(seed[30])<<8 | uint64(seed[31])
	first := (uint64(1)<<44 - 2 - drawn*MaxSubnets - uint64(k)) << 20
	return span(first, first+1<<20-1)
}

func (c *SubnetConfig) nodes() int {
	if c.Nodes > 0 {
		return c.Nodes
	}
	return c.Kind.properties().nodes
}

func (c *SubnetConfig) fees() cycles.Schedule {
	nodes := uint64(c.nodes())
	switch {
	case c.Free:
		return cycles.Schedule{Nodes: nodes, Reference: 13}
	case c.Kind.properties().system:
		return cycles.System(nodes)
	}
	return cycles.Application(nodes)
}

// ids returns the initial canister ids of the subnet.
func (c *SubnetConfig) ids(seed *[32]byte) state.Ids {
	ids := state.Ids{Allocation: allocation(seed, c.number)}
	ids.Ranges = append(append(append(ids.Ranges, c.Kind.properties().ranges...), c.Ranges...), ids.Allocation)
	return ids
}

// routes finds the subnet of a canister id.
type routes struct {
	ranges []route // by first number
	byID   map[principal.Principal]int
}

type route struct {
	Range
	subnet int
}

func (t *routes) add(position int, id principal.Principal, ranges []Range) error {
	if t.byID == nil {
		t.byID = make(map[principal.Principal]int)
	}
	if _, taken := t.byID[id]; taken {
		return fmt.Errorf("two subnets have the id %s: give one of them another", id)
	}
	t.byID[id] = position
	for _, r := range ranges {
		if err := t.insert(position, r); err != nil {
			return err
		}
	}
	return nil
}

// insert adds one range of a subnet.
func (t *routes) insert(position int, r Range) error {
	if r.Last < r.First {
		return fmt.Errorf("the canister range %s to %s ends before it begins", principal.Canister(r.First), principal.Canister(r.Last))
	}
	at := 0
	for at < len(t.ranges) && t.ranges[at].First < r.First {
		at++
	}
	if at > 0 && t.ranges[at-1].Last >= r.First || at < len(t.ranges) && t.ranges[at].First <= r.Last {
		return fmt.Errorf("canister range %s to %s belongs to two subnets: ranges must not overlap", principal.Canister(r.First), principal.Canister(r.Last))
	}
	t.ranges = slices.Insert(t.ranges, at, route{r, position})
	return nil
}

// find returns the position of the subnet that hosts a canister id, -1 if there is none.
func (t *routes) find(id principal.Principal) int {
	n, ok := id.CanisterNumber()
	if !ok {
		return -1
	}
	low, high := 0, len(t.ranges)
	for low < high {
		mid := (low + high) / 2
		if t.ranges[mid].Last < n {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(t.ranges) && t.ranges[low].Contains(n) {
		return t.ranges[low].subnet
	}
	return -1
}
