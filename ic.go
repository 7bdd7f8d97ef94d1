package canisterd

import (
	"context"
	"time"
)

// TB is the part of a test, benchmark or fuzz test that [New] needs. A testing.TB is one.
type TB interface {
	Helper()
	Cleanup(end func())
	Fatalf(format string, args ...any)
	Context() context.Context
}

// IC is a [Network] for a test: an operation that must work fails the test if it does not. The field Network has the
// methods with a context and an error.
type IC struct {
	*Network
	t TB
}

// New makes a network for a test, which is closed with the test. The test fails at its end if a call exceeded a budget
// ([Network.SetBudget]).
func New(t TB, options ...Option) *IC {
	t.Helper()
	n, err := Open(t.Context(), options...)
	check(t, err)
	t.Cleanup(func() { check(t, n.CheckBudgets()) }) // after all forks are closed
	return own(t, n, nil)
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

// Canister is [Network.Canister]: it returns the canister with a name.
func (ic *IC) Canister(name string) *Canister {
	ic.t.Helper()
	c, err := ic.Network.Canister(name)
	return must(ic.t, c, err)
}

// SetBudget is [Network.SetBudget]: the test fails at its end if a call of the method takes more instructions.
func (ic *IC) SetBudget(c *Canister, method string, instructions uint64) {
	ic.t.Helper()
	check(ic.t, ic.Network.SetBudget(ic.t.Context(), c, method, instructions))
}

// Now is [Network.Now]: it returns the time of the network.
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

// Settle is [Network.Settle]: all work at the present time is done.
func (ic *IC) Settle() {
	ic.t.Helper()
	check(ic.t, ic.Network.Settle(ic.t.Context()))
}

// Timers is [Network.Timers]: it returns the timers of canisters, the next one first.
func (ic *IC) Timers() []Timer {
	ic.t.Helper()
	all, err := ic.Network.Timers(ic.t.Context())
	return must(ic.t, all, err)
}

// Fork is [Network.Fork]: it makes a second network that continues from the present of this one, and closes it with the
// test.
func (ic *IC) Fork() *IC {
	ic.t.Helper()
	n, err := ic.Network.Fork(ic.t.Context())
	return own(ic.t, n, err)
}

// Snapshot is [Network.Snapshot]: it saves the present state.
func (ic *IC) Snapshot() *Snapshot {
	ic.t.Helper()
	s, err := ic.Network.Snapshot(ic.t.Context())
	return must(ic.t, s, err)
}

// Restore is [Network.Restore]: it goes back to a saved state.
func (ic *IC) Restore(s *Snapshot) {
	ic.t.Helper()
	check(ic.t, ic.Network.Restore(ic.t.Context(), s))
}

// Trace is [Network.Trace]: it returns a call as a tree, the newest call if it is nil.
func (ic *IC) Trace(of *Pending) string {
	ic.t.Helper()
	text, err := ic.Network.Trace(ic.t.Context(), of)
	return must(ic.t, text, err)
}

// Held is a [Rule] for a test: an operation that fails, fails the test.
type Held struct {
	rule *Rule
	t    TB
}

// Hold is [Network.Hold]: it holds matching messages until they are released.
func (ic *IC) Hold(calls Calls) *Held {
	ic.t.Helper()
	r, err := ic.Network.Hold(ic.t.Context(), calls)
	return &Held{must(ic.t, r, err), ic.t}
}

// RejectCalls is [Network.RejectCalls]: it rejects matching calls, in place of the callee.
func (ic *IC) RejectCalls(calls Calls, message string) *Held {
	ic.t.Helper()
	r, err := ic.Network.RejectCalls(ic.t.Context(), calls, message)
	return &Held{must(ic.t, r, err), ic.t}
}

// AnswerCalls is [Network.AnswerCalls]: it answers matching calls, in place of the callee.
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

// Messages is [Rule.Messages]: it returns the held messages.
func (h *Held) Messages() []Message {
	h.t.Helper()
	all, err := h.rule.Messages(h.t.Context())
	return must(h.t, all, err)
}

// Release is [Rule.Release]: held messages continue, later ones pass.
func (h *Held) Release() {
	h.t.Helper()
	check(h.t, h.rule.Release(h.t.Context()))
}

// Reject is [Rule.Reject]: it rejects the held calls, in place of the callee.
func (h *Held) Reject(message string) {
	h.t.Helper()
	check(h.t, h.rule.Reject(h.t.Context(), message))
}

// Reply is [Rule.Reply]: it answers the held calls, in place of the callee.
func (h *Held) Reply(results ...any) {
	h.t.Helper()
	check(h.t, h.rule.Reply(h.t.Context(), results...))
}
