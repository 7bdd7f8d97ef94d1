package driver

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/replica"
)

// ErrProfiled is the error of StartProfile while another profile is made, and ErrNotProfiled of the others while none is.
var (
	ErrProfiled    = errors.New("the instance is profiled already")
	ErrNotProfiled = errors.New("the instance is not profiled")
)

// profiler joins the profiles of messages into one: what a call caused is below the call.
type profiler struct {
	only map[principal.Principal]bool // the profiled canisters; nil: all

	mu     sync.Mutex // guards the fields below: queries run on other goroutines
	joined profile.Profile
	sent   callPlaces
	order  []replica.CallRef // of the calls in sent, the oldest first; answered ones may be among them
}

// callPlaces has the node of each call that was made and not answered.
type callPlaces map[replica.CallRef]int32

// StartProfile profiles the messages of some canisters that begin from now on, of all canisters without any. It compiles
// the code that profiles need before that. The error is ErrProfiled if there is a profile.
func (d *Driver) StartProfile(ctx context.Context, canisters []principal.Principal) error {
	p := &profiler{only: selection(canisters), sent: callPlaces{}}
	if err := d.warmProbes(ctx, p); err != nil {
		return err
	}
	var err error
	asked := d.ask(ctx, func(d *Driver) {
		if d.profiler != nil {
			err = ErrProfiled
			return
		}
		d.profiler = p
		d.network.Profile(p)
	})
	return errors.Join(asked, err)
}

// StopProfile ends the profile and returns it.
func (d *Driver) StopProfile(ctx context.Context) (*profile.Profile, error) {
	var p *profiler
	err := d.ask(ctx, func(d *Driver) {
		if p = d.profiler; p != nil {
			d.profiler = nil
			d.network.Profile(nil)
		}
	})
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, ErrNotProfiled
	}
	return p.copy(), nil
}

// Profile returns the profile so far.
func (d *Driver) Profile(ctx context.Context) (*profile.Profile, error) {
	var p *profiler
	if err := d.askReadOnly(ctx, func(d *Driver) { p = d.profiler }); err != nil {
		return nil, err
	}
	if p == nil {
		return nil, ErrNotProfiled
	}
	return p.copy(), nil
}

// warmProbes compiles the code with probes of the canisters that a profiler wants.
func (d *Driver) warmProbes(ctx context.Context, p *profiler) error {
	var modules []replica.InstalledModule
	if err := d.askReadOnly(ctx, func(d *Driver) { modules = d.network.InstalledModules(p.Profiled) }); err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.WarmProbes(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *profiler) copy() *profile.Profile {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.joined.Clone()
}

// Profiled implements replica.Profiler.
func (p *profiler) Profiled(id principal.Principal) bool { return p.only == nil || p.only[id] }

// Executed implements replica.Profiler.
func (p *profiler) Executed(m *replica.ProfiledMessage) {
	findLines(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(m, p.sent)
	for i := range m.Calls {
		p.order = append(p.order, m.Calls[i].CallRef)
	}
	for len(p.sent) > MaxProfiledCalls {
		delete(p.sent, p.order[0])
		p.order = p.order[1:]
	}
	if len(p.order) > 2*MaxProfiledCalls {
		p.order = slices.DeleteFunc(p.order, func(c replica.CallRef) bool { _, open := p.sent[c]; return !open })
	}
}

// Queried implements replica.Profiler.
func (p *profiler) Queried(messages []replica.ProfiledMessage) {
	for i := range messages {
		findLines(&messages[i])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := callPlaces{}
	for i := range messages {
		p.add(&messages[i], sent)
	}
}

// findLines looks up the source lines of the code that a message ran, which may take long and needs other locks.
func findLines(m *replica.ProfiledMessage) {
	for i := range m.Runs {
		m.Runs[i].FindLines()
	}
}

// add joins a message. Needs mu.
func (p *profiler) add(m *replica.ProfiledMessage, sent callPlaces) {
	p.joined.Charged += m.Instructions
	at, known := sent[m.Caused]
	if !known || m.Caused.Call == intercanister.CallID(0) {
		at = profile.Root
	}
	if m.Answer {
		delete(sent, m.Caused)
	}
	if m.Install {
		at = p.joined.Below(at, profile.Symbol{Kind: profile.Entry, Canister: m.Canister, Entry: "install", Name: m.Method})
	}
	var awaits []int32
	for i := range m.Runs {
		run := &m.Runs[i]
		awaits = p.joined.Add(at, run.Tree, func(f profile.Frame) profile.Symbol {
			s := run.Symbol(f)
			if f.Kind == profile.Entry && !m.Install {
				s.Name = m.Method
			}
			if f.Kind == profile.Entry && !run.HasFunctions() {
				s.Entry += ", functions unknown"
			}
			return s
		})
	}
	if len(awaits) != len(m.Calls) {
		return // the message failed: its calls were not made
	}
	for i, call := range m.Calls {
		node := p.await(awaits[i], m.Canister, profile.Symbol{Kind: profile.Await, Canister: call.Callee, Name: call.Method})
		if node != awaits[i] { // there was room
			p.joined.Nodes[node].Calls++
		}
		sent[call.CallRef] = node
	}
}

// await returns the node of a call of a canister, made at a node. A loop that awaits the same method again and again has
// one node: otherwise each turn would be nested in the one before, as the callback that makes it is.
func (p *profiler) await(at int32, caller principal.Principal, s profile.Symbol) int32 {
	for above := at; above > profile.Root; above = p.joined.Nodes[above].Parent {
		switch of := p.joined.Symbols[p.joined.Nodes[above].Symbol]; {
		case of == s:
			return above
		case of.Kind == profile.Entry && of.Canister != caller:
			return p.joined.Below(at, s)
		}
	}
	return p.joined.Below(at, s)
}
