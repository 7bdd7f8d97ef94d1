package canisterd

import (
	"context"
	"time"
)

// TB is what [New] needs of a test, a benchmark or a fuzz test. A testing.TB is one.
type TB interface {
	Helper()
	Cleanup(end func())
	Fatalf(format string, args ...any)
	Context() context.Context
}

// IC is a [Network] for a test: what a test author expects to work fails the test if it does not. The methods of the
// Network that have a context and an error are in its field of that name.
type IC struct {
	*Network
	t TB
}

// New makes a network for a test, which is closed with the test.
func New(t TB, options ...Option) *IC {
	t.Helper()
	n, err := Open(t.Context(), options...)
	return own(t, n, err)
}

// own closes a network with the test.
func own(t TB, n *Network, err error) *IC {
	t.Helper()
	check(t, err)
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Fatalf("canisterd: closing the network: %v", err)
		}
	})
	return &IC{n, t}
}

// check fails the test on an error.
func check(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("canisterd: %v", err)
	}
}

// must fails the test on an error.
func must[R any](t TB, result R, err error) R {
	t.Helper()
	check(t, err)
	return result
}

// Deploy is [Network.Deploy]: it creates a canister and installs a module from a file.
func (ic *IC) Deploy(path string, options ...DeployOption) *Canister {
	ic.t.Helper()
	c, err := ic.Network.Deploy(ic.t.Context(), path, options...)
	return must(ic.t, c, err)
}

// DeployModule is [Network.DeployModule], for a module in memory.
func (ic *IC) DeployModule(module []byte, options ...DeployOption) *Canister {
	ic.t.Helper()
	c, err := ic.Network.DeployModule(ic.t.Context(), module, options...)
	return must(ic.t, c, err)
}

// DeployProject is [Network.DeployProject]: it deploys the canisters of a folder with a canisterd.yaml.
func (ic *IC) DeployProject(folder string) map[string]*Canister {
	ic.t.Helper()
	all, err := ic.Network.DeployProject(ic.t.Context(), folder)
	return must(ic.t, all, err)
}

// Create is [Network.Create]: it creates a canister without code.
func (ic *IC) Create(options ...DeployOption) *Canister {
	ic.t.Helper()
	c, err := ic.Network.Create(ic.t.Context(), options...)
	return must(ic.t, c, err)
}

// Canister is [Network.Canister]: the canister with a name.
func (ic *IC) Canister(name string) *Canister {
	ic.t.Helper()
	c, err := ic.Network.Canister(name)
	return must(ic.t, c, err)
}

// Now is [Network.Now]: the time of the network.
func (ic *IC) Now() time.Time {
	ic.t.Helper()
	now, err := ic.Network.Now(ic.t.Context())
	return must(ic.t, now, err)
}

// Advance is [Network.Advance]: time passes, and each timer on the way fires when it is due.
func (ic *IC) Advance(by time.Duration) {
	ic.t.Helper()
	check(ic.t, ic.Network.Advance(ic.t.Context(), by))
}

// AdvanceTo is [Network.AdvanceTo]: time passes up to a time.
func (ic *IC) AdvanceTo(at time.Time) {
	ic.t.Helper()
	check(ic.t, ic.Network.AdvanceTo(ic.t.Context(), at))
}

// AdvanceToTimer is [Network.AdvanceToTimer]: time passes up to the next timer.
func (ic *IC) AdvanceToTimer() {
	ic.t.Helper()
	check(ic.t, ic.Network.AdvanceToTimer(ic.t.Context()))
}

// Settle is [Network.Settle]: what can be done at the present time is done.
func (ic *IC) Settle() {
	ic.t.Helper()
	check(ic.t, ic.Network.Settle(ic.t.Context()))
}

// Timers is [Network.Timers]: the timers of canisters, the next one first.
func (ic *IC) Timers() []Timer {
	ic.t.Helper()
	all, err := ic.Network.Timers(ic.t.Context())
	return must(ic.t, all, err)
}

// Fork is [Network.Fork]: a second network that goes on from the present of this one, and is closed with the test.
func (ic *IC) Fork() *IC {
	ic.t.Helper()
	n, err := ic.Network.Fork(ic.t.Context())
	return own(ic.t, n, err)
}

// Snapshot is [Network.Snapshot]: it keeps the present state.
func (ic *IC) Snapshot() *Snapshot {
	ic.t.Helper()
	s, err := ic.Network.Snapshot(ic.t.Context())
	return must(ic.t, s, err)
}

// Restore is [Network.Restore]: it goes back to a state that was kept.
func (ic *IC) Restore(s *Snapshot) {
	ic.t.Helper()
	check(ic.t, ic.Network.Restore(ic.t.Context(), s))
}

// Trace is [Network.Trace]: what a call did as a tree, or the newest call if it is nil.
func (ic *IC) Trace(of *Pending) string {
	ic.t.Helper()
	text, err := ic.Network.Trace(ic.t.Context(), of)
	return must(ic.t, text, err)
}

// Held is a [Rule] for a test: what does not work fails the test.
type Held struct {
	rule *Rule
	t    TB
}

// Hold is [Network.Hold]: it keeps the messages that match until they are released.
func (ic *IC) Hold(calls Calls) *Held {
	ic.t.Helper()
	r, err := ic.Network.Hold(ic.t.Context(), calls)
	return &Held{must(ic.t, r, err), ic.t}
}

// RejectCalls is [Network.RejectCalls]: it rejects the calls that match, in the place of the callee.
func (ic *IC) RejectCalls(calls Calls, message string) *Held {
	ic.t.Helper()
	r, err := ic.Network.RejectCalls(ic.t.Context(), calls, message)
	return &Held{must(ic.t, r, err), ic.t}
}

// AnswerCalls is [Network.AnswerCalls]: it answers the calls that match, in the place of the callee.
func (ic *IC) AnswerCalls(calls Calls, results ...any) *Held {
	ic.t.Helper()
	r, err := ic.Network.AnswerCalls(ic.t.Context(), calls, results...)
	return &Held{must(ic.t, r, err), ic.t}
}

// Wait is [Rule.Wait]: it runs rounds until a message is held.
func (h *Held) Wait() Message {
	h.t.Helper()
	m, err := h.rule.Wait(h.t.Context())
	return must(h.t, m, err)
}

// Messages is [Rule.Messages]: the messages that are held.
func (h *Held) Messages() []Message {
	h.t.Helper()
	all, err := h.rule.Messages(h.t.Context())
	return must(h.t, all, err)
}

// Release is [Rule.Release]: held messages go on, later ones pass.
func (h *Held) Release() {
	h.t.Helper()
	check(h.t, h.rule.Release(h.t.Context()))
}

// Reject is [Rule.Reject]: it rejects the calls that are held, in the place of the callee.
func (h *Held) Reject(message string) {
	h.t.Helper()
	check(h.t, h.rule.Reject(h.t.Context(), message))
}

// Reply is [Rule.Reply]: it answers the calls that are held, in the place of the callee.
func (h *Held) Reply(results ...any) {
	h.t.Helper()
	check(h.t, h.rule.Reply(h.t.Context(), results...))
}
