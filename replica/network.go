package replica

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica/internal/management"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Config configures a network. Everything that happens follows from it and the inputs.
type Config struct {
	Seed    [32]byte
	Start   uint64 // ns, the time before the first round
	Subnets []SubnetConfig
	Engine  *canister.Engine
	Version string // replica version, as subnet_info returns it
	Keys    *Keys  // nil: the network derives its own

	Runner   Runner     // nil: one job at a time
	Compiler Compiler   // nil: modules are compiled where they are installed
	Events   EventSink  // nil: no listener
	Signed   HeightSink // nil: signed heights are not reported
	Printed  PrintSink  // nil: output of canisters is dropped
	Journal  Journal    // nil: nothing is recorded

	SliceInstructions uint64 // 0: the constant
	RoundInstructions uint64 // 0: the constant
	RoundMessages     int    // 0: the constant

	GuaranteedMessageBytes uint64 // 0: the constant
	BestEffortMessageBytes uint64 // 0: the constant
	SubnetCallbacks        int    // 0: the constant
	StreamMessages         int    // of a stream between two subnets; 0: the constant
	IngressMessages        int    // of the ingress history of a subnet; 0: the replica's 600,000
	SubnetCanisters        int    // of a subnet; 0: MaxCanisters
	HeldBytes              int    // of held messages; 0: MaxHeldBytes

	made    int     // number of subnets made so far; 0: those of Subnets
	deleted []Range // canister ids of deleted subnets, which are not used again

	overrides state.Overrides // of tests
}

// Override returns the configuration with parts that a test replaces. Packages outside replica cannot call it, because
// they cannot name the type of its argument.
func (config Config) Override(parts state.Overrides) Config {
	config.overrides = parts
	return config
}

// PrintSink receives the output of a canister (ic0.debug_print), whole and at once, also from queries and messages that
// fail: for people who watch. Many goroutines call it, and it must not keep the text.
type PrintSink func(canister principal.Principal, text []byte)

// Network is a set of subnets, their canisters and the routes between them. It is not safe for concurrent use; one
// goroutine owns it. Any goroutine may read views.
type Network struct {
	config                 Config
	runner                 Runner
	executor               state.Executor
	management             state.Management
	sink                   EventSink
	profiler               Profiler                                        // nil: messages are not profiled
	covered                func(id principal.Principal) canister.Collector // see Cover
	meter                  Meter                                           // nil: calls are not metered
	subnets                []*subnet                                       // the root subnet first
	routes                 *routes                                         // replaced, never changed: views share it
	signer                 state.Signer                                    // of threshold keys; nil: there are none
	clock                  uint64                                          // ns, set by AdvanceTo
	time                   uint64                                          // ns, of the last round
	height                 uint64
	generation             uint64 // counts possible changes of canisters: rounds and test controls
	open                   bool   // a round has begun and not ended
	views                  *Views
	report                 RoundReport
	answered, prevAnswered []RequestID // since the last round; in its report
	defaultRunner          *Coroutines
	event                  Event
	rootKey                []byte
	delegations            *delegations
	index                  *readIndex
	rules                  state.Rules       // for messages in transit
	deleted                state.CycleTotals // of subnets that were deleted
	traps                  traps
	journal                *journalling // nil without a journal
	compared               []*View      // of the last heights, while Verify replays a journal
	volatile               bool         // this is a volatile fork
	legal                  []move       // scratch of moves
	shown                  []Move       // scratch of moves: legal, as oracles see them
}

// New makes a network at its start: no canisters, no round yet.
func New(config Config) (*Network, error) {
	if len(config.Subnets) == 0 || len(config.Subnets) > MaxSubnets {
		return nil, fmt.Errorf("a network has 1 to %d subnets, got %d", MaxSubnets, len(config.Subnets))
	}
	n := &Network{config: config, clock: config.Start, time: config.Start, sink: config.Events, routes: new(routes), delegations: new(delegations), index: new(readIndex)}
	n.views = &Views{network: n}
	n.applyDefaults()
	subnets := slices.Clone(config.Subnets)
	slices.SortStableFunc(subnets, func(a, b SubnetConfig) int { return rootFirst(a) - rootFirst(b) })
	if n.config.Subnets = subnets; config.made == 0 {
		n.config.made = len(subnets)
		for i := range subnets {
			subnets[i].number = i
		}
	}
	keys := n.config.Keys.subnetsOf(config.Seed, subnets)
	for i := range subnets {
		if err := subnets[i].check(); err != nil {
			return nil, fmt.Errorf("make subnet %d (%s): %w", i, subnets[i].Kind, err)
		}
		m := newSubnet(n, i, &subnets[i], keys[i])
		if err := n.routes.add(i, m.ID, m.Ids.Ranges); err != nil {
			return nil, fmt.Errorf("make subnet %d (%s): %w", i, subnets[i].Kind, err)
		}
		n.subnets = append(n.subnets, m)
	}
	n.placeKeys()
	base := n.staticTree()
	for _, m := range n.subnets {
		m.Output = make([][]state.StreamMessage, len(n.subnets))
		m.armCharge()
		m.record.base = base
	}
	n.publish()
	return n, nil
}

func (n *Network) applyDefaults() {
	c := &n.config
	if c.Keys == nil {
		c.Keys = new(Keys)
	}
	c.SliceInstructions = cmp.Or(c.SliceInstructions, SliceInstructions)
	c.RoundInstructions = cmp.Or(c.RoundInstructions, RoundInstructions)
	c.RoundMessages = cmp.Or(c.RoundMessages, RoundMessages)
	c.GuaranteedMessageBytes = cmp.Or(c.GuaranteedMessageBytes, GuaranteedMessageBytes)
	c.BestEffortMessageBytes = cmp.Or(c.BestEffortMessageBytes, BestEffortMessageBytes)
	c.SubnetCallbacks = cmp.Or(c.SubnetCallbacks, SubnetCallbacks)
	c.SubnetCanisters = cmp.Or(c.SubnetCanisters, MaxCanisters)
	c.HeldBytes = cmp.Or(c.HeldBytes, MaxHeldBytes)
	c.StreamMessages = cmp.Or(c.StreamMessages, MaxStreamMessages)
	n.setParts(&Parts{c.Runner, c.Compiler, c.Events, c.Signed, c.Printed, c.Journal})
}

// setParts sets the parts, and makes missing ones.
func (n *Network) setParts(parts *Parts) {
	c := &n.config
	c.Runner, c.Compiler, c.Events, c.Signed, c.Printed, c.Journal = parts.Runner, parts.Compiler, parts.Events, parts.Signed, parts.Printed, parts.Journal
	n.journal = newJournalling(c.Journal, n.clock)
	n.runner, n.executor, n.management, n.sink = c.Runner, c.overrides.Executor, c.overrides.Management, c.Events
	if n.runner == nil {
		n.defaultRunner = new(Coroutines)
		n.runner = n.defaultRunner
	}
	if n.executor == nil {
		n.executor = canisters{}
	}
	if n.management == nil {
		n.management = management.New()
	}
}

func rootFirst(c SubnetConfig) int {
	if c.Kind == NNS {
		return 0
	}
	return 1
}

// Close abandons the parked messages and frees the Wasm state of all canisters.
// Views stay readable.
func (n *Network) Close() {
	for _, m := range n.subnets {
		m.close()
	}
	if n.defaultRunner != nil {
		n.defaultRunner.Close()
	}
}

// close abandons the parked messages of a subnet and frees the Wasm state of its canisters.
func (s *subnet) close() {
	for _, j := range s.paused {
		j.abandon()
	}
	s.paused, s.Parked = nil, nil
	s.Canisters.Close()
}

// Listen sends events to a sink from now on; nil stops them.
func (n *Network) Listen(sink EventSink) { n.sink = sink }

// Seed returns the source of keys, ids and randomness.
func (n *Network) Seed() [32]byte { return n.config.Seed }

// Engine returns the engine that runs canisters.
func (n *Network) Engine() *canister.Engine { return n.config.Engine }

// View returns the state at the end of the last round: immutable, for any reader.
func (n *Network) View() *View { return n.views.Latest() }

// Views returns the network's views, for readers on other goroutines.
func (n *Network) Views() *Views { return n.views }

// RewindClock sets the clock back to the time of the newest round. The network must have no journal.
func (n *Network) RewindClock() { n.clock = n.time }

// nextTime returns the time of the next round: the time of AdvanceTo, or a nanosecond after the last round if that is
// later.
func (n *Network) nextTime() uint64 { return max(n.clock, n.time+1) }

// find looks up a canister and the subnet that runs it.
func (n *Network) find(id principal.Principal) (*subnet, *state.Entry) {
	i := n.routes.find(id)
	if i < 0 {
		return nil, nil
	}
	m := n.subnets[i]
	return m, m.Canisters.Get(id)
}

// Canister returns a canister for reading, nil if there is none. It is valid until the next Apply, Round or Step.
func (n *Network) Canister(id principal.Principal) *canister.Canister {
	_, r := n.find(id)
	if r == nil {
		return nil
	}
	return r.Canister
}

// RootKey returns the root public key, in DER form.
func (n *Network) RootKey() []byte { return n.rootKey }

func seedOf(seed [32]byte) certify.Seed { return certify.Seed(seed) }

// Census counts what is open in a network.
type Census struct {
	Canisters, Contexts, Futures int
	Waiting                      int // messages of canisters that take part in the next batch or wait
	Parked                       int // messages in the middle of their code
	Outcalls                     int
	Signatures                   int // unanswered requests for signatures
	Ingress                      int // known ingress messages
	Held                         int // messages held in transit
}

// Census counts what is open. It takes time in proportion to the number of canisters.
func (n *Network) Census() (all Census) {
	for _, m := range n.subnets {
		all.Canisters += m.Canisters.Len()
		all.Contexts += m.Calls.Contexts()
		all.Futures += m.Calls.Futures()
		all.Parked += len(m.paused)
		all.Outcalls += len(m.Outcalls)
		all.Signatures += len(m.Signing.Pending)
		all.Ingress += m.History.Len()
		all.Held += m.Held.Len()
		m.Canisters.Read(func(r *state.Entry) { all.Waiting += r.Mailbox.Len() + len(r.Waiting) })
		all.Waiting += len(m.Preparing)
	}
	return all
}
