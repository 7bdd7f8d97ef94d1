package replica

import (
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/cow"
	"github.com/canisterd/canisterd/replica/internal/override"
)

// Parts are the parts that the owner of a network supplies. Defaults are as in Config.
type Parts struct {
	Runner   Runner
	Compiler Compiler
	Events   EventSink
	Signed   HeightSink
	Printed  PrintSink
	Journal  Journal
}

// ForkConfig is what a fork of a network has of its own.
type ForkConfig struct {
	Parts
	// Reseed makes the random beacons of the fork go on from this seed, to see what else
	// could have come; nil: the fork draws what the source draws. Keys stay.
	Reseed *[32]byte
	// Volatile is for forks that live for a few messages, of which many are made of one state: what messages commit
	// stays in memory, and a fork goes on with the Wasm instances of the one closed before it. So are its forks.
	Volatile bool

	overrides override.Parts // of tests
}

// Override returns the configuration with an executor for the canisters of the fork, as in Config. Without it, the
// executor of the source runs the canisters of both. The other parts stay as they are in the source.
func (c ForkConfig) Override(parts override.Parts) ForkConfig {
	c.overrides = parts
	return c
}

// Fork is a second network that is at the same point: canisters, messages on their way and in the middle of their code,
// timers, clock, chance, answers and certificates. The same inputs make both do the same; neither notices what the
// other does, and each is closed by itself. The owner of the network calls it; the fork may run on another goroutine.
// Heaps and stable memories are shared until they are written, canisters until one is used, known messages and
// deadlines until they change: a fork copies a few words for every block of canisters and page of messages, and the
// messages under way (docs/sharing.md).
//
// A fork that is not driven needs none of its parts and no goroutine: it sleeps, and is a snapshot of the network.
// Modules that are being compiled are requested again from the fork's Compiler; without one they are compiled in its
// first round.
func (n *Network) Fork(config ForkConfig) *Network {
	view := n.View() // recorded changes are read-only from now on: the two may share them
	f := new(Network)
	*f = *n
	if config.overrides.Executor != nil {
		f.config.overrides.Executor = config.overrides.Executor
	}
	f.volatile = n.volatile || config.Volatile
	f.own, f.event, f.traps, f.legal, f.shown = nil, Event{}, traps{}, nil, nil
	f.plug(&config.Parts)
	f.index = n.index.fork()
	f.delegations = n.delegations.fork()
	f.rules = n.rules.Clone()
	f.report.Answered, f.answered, f.told = slices.Clone(n.report.Answered), slices.Clone(n.answered), nil
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
			m.Chance.Reseed(*config.Reseed)
		}
		m.recompile()
	}
	return f
}

// Wake gives a sleeping network the parts with which it goes on. Its present heights are not reported as signed.
func (n *Network) Wake(parts Parts) {
	if n.own != nil {
		n.own.Close()
		n.own = nil
	}
	n.plug(&parts)
	for _, m := range n.subnets {
		m.recompile()
	}
}

// Listener is the sink for events, or nil.
func (n *Network) Listener() EventSink { return n.sink }

// fork makes a subnet of another network that is at the same point.
func (m *subnet) fork(n *Network) *subnet {
	f := new(subnet)
	*f = *m
	f.net, f.tally = n, new(executionTally)
	f.faults = f.injector()
	m.State.Fork(&f.State)
	f.record.canisters.list, f.record.requests.list = slices.Clip(m.record.canisters.list), slices.Clip(m.record.requests.list) // the source appends behind them
	f.Environment.Volatile = n.volatile
	if h := m.staged().made.Load(); h != nil { // what changed before is in it
		f.record.rebase(h.Tree())
	}
	if m.ahead != nil {
		f.ahead = m.ahead.fork(n.config.Signed)
	}
	f.jobs, f.running, f.spare, f.mailboxes, f.choices = nil, nil, nil, nil, nil
	f.restart()
	return f
}

// restart makes jobs of the messages that are parked. They begin again when they go on.
func (m *subnet) restart() {
	m.paused, m.waiting = make([]*Job, len(m.Parked)), 0
	for i, x := range m.Parked {
		j := newJob()
		j.Execution, j.subnet = x, m
		if x.Message.Room != nil {
			x.Message.Room = j.room
		}
		if x.Install != nil {
			x.Install.Command.Host = m
		}
		if m.paused[i] = j; j.waits() {
			m.waiting++
		}
	}
}

// fork is a view of the same height that belongs to another network.
func (v *View) fork(n *Network) *View {
	f := *v
	f.delegations, f.index = n.delegations, n.index
	f.Subnets = slices.Clone(v.Subnets)
	for i := range f.Subnets {
		f.Subnets[i].staged = v.Subnets[i].staged.fork(n.config.Signed)
	}
	return &f
}

// fork stages the same tree for a network that has its own listener to signatures.
func (t *stagedTree) fork(signed HeightSink) *stagedTree {
	f := &stagedTree{
		subnet: t.subnet, key: t.key, base: t.base, canisters: slices.Clip(t.canisters), requests: slices.Clip(t.requests),
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
	for subnet, known := range x.requests { // each by itself: no order can be seen
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
