package replica

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/faults"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// subnet runs one subnet: its state, and data that is not part of the state.
type subnet struct {
	state.State
	net         *Network
	position    int
	config      SubnetConfig
	key         *certify.SubnetKey
	nodes       []*certify.NodeKey
	record      recording   // changes of the certified tree; written under Views.mu
	ended       ended       // the last round; guarded like record
	ahead       *stagedTree // base of the next view, if canister ranges have changed since the last; or nil
	publicKey   []byte      // DER
	shownRanges certify.Ranges

	longest charging.Longest // the charges for messages in advance

	paused  []*Job // of the parked messages, in the same order
	waiting int    // how many of them wait for a time

	asked *state.Preparation // the running command, if it is about to wait

	faults faults.Injector // decides about messages in transit

	worked   uint64 // instructions of the management canister itself
	executed int    // messages of this round
	dirtied  int    // heap pages that messages of this round changed, rolled back or not
	batches  int    // of this round

	tally *executionTally // of all rounds

	jobs, running []*Job
	spare         []*Job
	mailboxes     []*intercanister.Mailbox
	choices       []intercanister.Choice
}

func newSubnet(n *Network, position int, config *SubnetConfig, key *certify.SubnetKey) *subnet {
	nodes := n.nodeKeys(config)
	m := &subnet{net: n, position: position, config: *config, key: key, nodes: nodes.keys, tally: new(executionTally)}
	m.faults = m.injector()
	kind := config.Kind.properties()
	m.ID = m.key.Public().Principal()
	if config.ID.Len() > 0 {
		m.ID = config.ID
	} else if kind.id != "" {
		m.ID = principal.MustParse(kind.id)
	}
	m.publicKey = m.key.Public().DER()
	m.Nodes = config.nodes()
	m.Blocks = state.NewBlocks(nodes.ids)
	m.System = kind.system
	m.Administered = config.administered()
	m.Admins = slices.Clone(config.Admins)
	slices.SortFunc(m.Admins, principal.Principal.CompareLengthFirst)
	m.Fees = config.fees()
	m.Time = n.config.Start
	m.History.Limit = n.config.IngressMessages
	m.Compiled = make(map[[32]byte]bool)
	m.Ids = config.ids(&n.config.Seed)
	m.RandomBeacon = state.NewRandomBeacon(n.config.Seed, "random beacon of subnet "+m.ID.String())
	m.Outcalls = make(map[uint64]*state.PendingOutcall)
	m.ManagementCalls.Owner = principal.Management
	m.Limits = executionLimits(&n.config, config)
	m.longest = charging.LongestOf(&m.State)
	m.refresh()
	return m
}

// injector returns the rules of the network, to be applied to messages of the subnet.
func (s *subnet) injector() faults.Injector {
	return faults.Injector{Rules: &s.net.rules, State: &s.State, Clock: &s.net.clock, MaxBytes: s.net.config.HeldBytes}
}

// executionLimits returns the limits of executions on a subnet.
func executionLimits(n *Config, config *SubnetConfig) canister.Limits {
	limits := canister.ApplicationLimits()
	if config.Kind.properties().system {
		limits = canister.SystemLimits()
	}
	if change := n.overrides.Limits; change != nil {
		change(&limits)
	}
	limits.PauseAfter = n.SliceInstructions
	if config.NoRateLimits {
		limits.HeapDelta, limits.InstallRate = 0, 0
	}
	if config.Benchmarking {
		limits.Message, limits.Query, limits.Install = BenchmarkInstructions, BenchmarkInstructions, BenchmarkInstructions
		limits.Slice, limits.PauseAfter = BenchmarkInstructions, BenchmarkInstructions
	}
	return limits
}

// refresh updates the environment of executions for a round. Parked messages keep their environment, with the time at
// which they began.
func (s *subnet) refresh() {
	if s.Environment != nil && len(s.paused) == 0 {
		s.Environment.Time, s.Environment.MemoryUsed = s.Time, s.MemoryUsed+s.config.Occupied
		s.Environment.Print, s.Environment.Randomness = s.net.config.Printed, s.RandomBeacon.Key()
		s.Environment.Profiled, s.Environment.Covered = s.net.profiled(), s.net.covered
		return
	}
	var keys []canister.Key
	if s.Environment != nil {
		keys = s.Environment.Keys
	}
	s.Environment = &canister.Subnet{MemoryUsed: s.MemoryUsed + s.config.Occupied, ID: s.ID, Fees: s.Fees, System: s.System, Limits: s.Limits, Time: s.Time, Keys: keys, Print: s.net.config.Printed, Volatile: s.net.volatile}
	s.Environment.Randomness, s.Environment.Profiled, s.Environment.Covered = s.RandomBeacon.Key(), s.net.profiled(), s.net.covered
	if s.net.rootKey == nil {
		s.net.rootKey = s.publicKey
	}
	s.Environment.RootKey = s.net.rootKey
}

// managementOf returns the subnet whose management canister a principal addresses: the own one by the empty principal,
// any by its subnet id. nil for canisters.
func (n *Network) managementOf(id principal.Principal, own *subnet) *subnet {
	if id == principal.Management {
		return own
	}
	if position, ok := n.routes.byID[id]; ok {
		return n.subnets[position]
	}
	return nil
}
