package replica

import (
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/cow"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Parts are supplied by the owner of a network. Defaults are as in Config.
type Parts struct {
	Runner   Runner
	Compiler Compiler
	Events   EventSink
	Signed   HeightSink
	Printed  PrintSink
	Journal  Journal
}

// ForkConfig configures a fork of a network.
type ForkConfig struct {
	Parts
	// Reseed makes the random beacons of the fork continue from this seed, to explore other outcomes; nil: the fork
	// draws the same values as the source. Keys stay.
	Reseed *[32]byte
	// Volatile is for forks that run a few messages, many of them from one state: what messages commit stays in memory,
	// and a fork reuses the Wasm instances of the fork closed before it. Its forks are volatile too.
	Volatile bool

	overrides state.Overrides // of tests
}

// Override returns the configuration with an executor for the canisters of the fork, as in Config. Without it, the
// executor of the source runs the canisters of both. The other parts stay as they are in the source.
func (c ForkConfig) Override(parts state.Overrides) ForkConfig {
	c.overrides = parts
	return c
}

// Fork makes a second network at the same point: canisters, messages in transit and in the middle of their code,
// timers, clock, random beacons, answers and certificates. The same inputs have the same effects in both; they do not
// affect each other, and each is closed separately. The owner of the network calls Fork; the fork may run on another
// goroutine. Heaps and stable memories are copied on write, canisters on first use, known messages and deadlines when
// they change: a fork copies a few words for every block of canisters, and the pending messages
// (docs/internals/sharing.md).
//
// A fork that is not driven needs none of its parts and no goroutine: it sleeps, and is a snapshot of the network. The
// fork requests modules that are being compiled from its own Compiler; without one it compiles them in its first round.
func (n *Network) Fork(config ForkConfig) *Network {
	view := n.View() // recorded changes are read-only from now on: the two may share them
	f := new(Network)
	*f = *n
	if config.overrides.Executor != nil {
		f.config.overrides.Executor = config.overrides.Executor
	}
	f.volatile = n.volatile || config.Volatile
	f.defaultRunner, f.event, f.traps, f.legal, f.shown = nil, Event{}, traps{}, nil, nil
	f.setParts(&config.Parts)
	f.index = n.index.fork()
	f.delegations = n.delegations.fork()
	f.rules = n.rules.Clone()
	f.report.Answered, f.answered, f.prevAnswered = slices.Clone(n.report.Answered), slices.Clone(n.answered), nil
	f.subnets = make([]*subnet, len(n.subnets))
	for i, m := range n.subnets {
		f.subnets[i] = m.fork(f)
	}
	f.views = &Views{network: f, signed: n.views.signed}
	f.views.time.Store(n.views.Time())
	f.views.height.Store(n.views.Height())
	f.views.latest.Store(view.fork(f))
	for _, m := range f.subnets {
		if config.Reseed != nil {
			m.RandomBeacon.Reseed(*config.Reseed)
		}
		m.recompile()
	}
	return f
}

// Wake gives a sleeping network its parts. Its present heights are not reported as signed.
func (n *Network) Wake(parts Parts) {
	if n.defaultRunner != nil {
		n.defaultRunner.Close()
		n.defaultRunner = nil
	}
	n.setParts(&parts)
	for _, m := range n.subnets {
		m.Environment.Print = n.config.Printed // for queries before the next round
		m.recompile()
	}
}

// Listener returns the sink for events, or nil.
func (n *Network) Listener() EventSink { return n.sink }

// fork makes a subnet of another network at the same point.
func (s *subnet) fork(n *Network) *subnet {
	f := new(subnet)
	*f = *s
	f.net, f.tally = n, new(executionTally)
	f.faults = f.injector()
	s.State.Fork(&f.State)
	f.record.canisters, f.record.requests = s.record.canisters.fork(), s.record.requests.fork()
	f.Environment.Volatile, f.Environment.Print = n.volatile, n.config.Printed
	f.Environment.Profiled, f.Environment.Covered = nil, nil
	if h := s.staged().made.Load(); h != nil { // it contains the earlier changes
		f.record.rebase(h.Tree())
	}
	if s.ahead != nil {
		f.ahead = s.ahead.fork(n.config.Signed)
	}
	f.asked, f.jobs, f.running, f.spare, f.mailboxes, f.choices = nil, nil, nil, nil, nil, nil
	f.restart()
	return f
}

// restart makes jobs of the parked messages. They begin again when they resume.
func (s *subnet) restart() {
	s.paused, s.waiting = make([]*Job, len(s.Parked)), 0
	for i, x := range s.Parked {
		j := newJob()
		j.Execution, j.subnet = x, s
		if x.Message.Room != nil {
			x.Message.Room = j.room
		}
		if x.Install != nil {
			x.Install.Call.Host = s
		}
		if s.paused[i] = j; j.waits() {
			s.waiting++
		}
	}
}

// fork returns a view of the same height that belongs to another network.
func (v *View) fork(n *Network) *View {
	f := *v
	f.delegations, f.index = n.delegations, n.index
	f.Subnets = slices.Clone(v.Subnets)
	for i := range f.Subnets {
		f.Subnets[i].staged = v.Subnets[i].staged.fork(n.config.Signed)
	}
	return &f
}

// fork stages the same tree for a network that has its own listener for signatures.
func (t *stagedTree) fork(signed HeightSink) *stagedTree {
	f := &stagedTree{
		subnet: t.subnet, key: t.key, base: t.base, canisters: t.canisters, requests: t.requests,
		ended: t.ended, signed: signed,
	}
	if h := t.made.Load(); h != nil {
		f.base, f.canisters, f.requests = h.Tree(), nil, nil
	}
	return f
}

func (x *readIndex) fork() *readIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	requests := make(map[principal.Principal]*cow.Map[RequestID, RequestParties], len(x.requests))
	for subnet, known := range x.requests { // each independently: the order has no effect
		forked := known.Fork()
		requests[subnet] = &forked
	}
	return &readIndex{requests: requests, modules: x.modules.Fork()}
}

func (d *delegations) fork() *delegations {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &delegations{made: maps.Clone(d.made)}
}
