package management

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/test/canistertest"
)

// host is a state.Host that writes down what it was asked for, and the effects of answers.
type host struct {
	st        *state.State
	sub       canister.Subnet
	hosted    map[principal.Principal]principal.Principal // canisters of other subnets
	answered  []state.Answer
	tickets   []state.Ticket
	sent      []state.Outcall
	started   []principal.Principal
	deleted   []principal.Principal
	emptied   []principal.Principal
	prepared  []byte
	refused   *intercanister.Reject // by Prepare
	installed *canister.Install
	outcome   canister.Outcome
	full      *intercanister.Reject   // by Create
	engine    *canister.Engine        // nil: modules are not looked at and installations do nothing
	files     func() *canister.Engine // keeps chunks if there is no engine
}

var (
	alice   = principal.SelfAuthenticating([]byte("alice"))
	bob     = principal.SelfAuthenticating([]byte("bob"))
	subnet  = principal.SelfAuthenticating([]byte("subnet"))
	far     = principal.SelfAuthenticating([]byte("far subnet"))
	root    = principal.SelfAuthenticating([]byte("root subnet"))
	nowhere = principal.Canister(999)
)

const noon = 1_700_000_000_000_000_000

func (m *host) Create(id *principal.Principal, s canister.Settings, balance cycles.Amount) (*state.Entry, *intercanister.Reject) {
	if m.full != nil {
		return nil, m.full
	}
	var chosen principal.Principal
	if id == nil {
		chosen, _ = m.st.Ids.Next()
	} else {
		chosen = *id
	}
	k := canister.New(chosen, m.st.Time, s)
	k.Balance = balance
	return m.st.Add(k), nil
}

// apply does at once what the subnet does in rounds.
func (m *host) apply(c *state.ManagementCall, a state.Answer) state.Answer {
	r := a.Target
	switch a.Effect {
	case state.StartCanister:
		r.Canister.Status = canister.Running
		m.started = append(m.started, r.ID())
	case state.StopCanister:
		r.Canister.Status = canister.Stopping
		m.tickets = append(m.tickets, c.Ticket())
	case state.InstallCode:
		return m.install(c, r, a.Install, a.Spent)
	case state.UninstallCode:
		r.Canister.Uninstall()
		m.st.Touch(r)
		m.emptied = append(m.emptied, r.ID())
	case state.DeleteCanister:
		m.st.Remove(r)
		m.deleted = append(m.deleted, r.ID())
	case state.SendOutcall:
		m.tickets, m.sent = append(m.tickets, c.Ticket()), append(m.sent, *a.Outcall)
	case state.AnswerNextRound:
		m.tickets, m.answered = append(m.tickets, c.Ticket()), append(m.answered, New().Postponed(c.Method)(m.st))
	}
	return a
}

func (m *host) install(c *state.ManagementCall, target *state.Entry, in *canister.Install, spent uint64) state.Answer {
	m.installed = in
	if m.engine != nil {
		return New().Installed(c, target, spent, target.Canister.Install(&m.sub, in))
	}
	return New().Installed(c, target, spent, m.outcome)
}

func (m *host) elsewhere(id principal.Principal) bool { _, ok := m.hosted[id]; return ok }

func (m *host) SubnetOf(id principal.Principal) (principal.Principal, bool) {
	s, ok := m.hosted[id]
	return s, ok
}

func (m *host) Metrics() (certify.SubnetMetrics, uint64) {
	return certify.SubnetMetrics{Canisters: 2, StateBytes: 3, UpdateTransactions: 4, ConsumedCyclesLow: 5, ConsumedCyclesHigh: 1}, 41_000_001
}

func (m *host) Version() string { return "1.2.3" }
func (m *host) Engine() *canister.Engine {
	if m.engine == nil {
		return m.files()
	}
	return m.engine
}

// Hosted reports whether a canister id belongs to any subnet.
func (m *host) Hosted(id principal.Principal) bool {
	return m.st.Ids.Hosts(id) || m.elsewhere(id)
}
func (m *host) Root() principal.Principal { return root }

func (m *host) Preceded(*state.Entry) bool                                 { return false }
func (m *host) Compiling(*state.ManagementCall, *state.Entry, []byte) bool { return false }

func (m *host) Prepare(raw []byte, _ canister.Features) (*canister.Module, *intercanister.Reject) {
	m.prepared = raw
	if m.engine != nil {
		return m.engine.Prepare(context.Background(), raw)
	}
	return nil, m.refused
}

// rig is a subnet with one canister, controlled by alice.
type rig struct {
	testing.TB
	*host
	facade *facade
	target *state.Entry
}

func newRig(t testing.TB) *rig {
	st := &state.State{ID: subnet, Nodes: 13, Fees: cycles.Application(13), Time: noon, RandomBeacon: state.NewRandomBeacon([32]byte{1}, "test")}
	st.Ids = state.Ids{Allocation: state.Range{First: 100, Last: math.MaxUint32}, Ranges: []state.Range{{First: 0, Last: 50}, {First: 100, Last: math.MaxUint32}}}
	limits := canister.ApplicationLimits()
	limits.HeapDelta, limits.InstallRate = 0, 0
	m := &host{st: st, sub: canister.Subnet{ID: subnet, Fees: st.Fees, Limits: limits, Time: noon}, hosted: map[principal.Principal]principal.Principal{}}
	m.files = sync.OnceValue(func() *canister.Engine { return canistertest.NewPlace(t).Engine })
	st.Environment = &m.sub
	r := &rig{TB: t, host: m, facade: New().(*facade)}
	r.target = r.add(40, alice)
	return r
}

// add makes a canister with a trillion cycles.
func (r *rig) add(number uint64, controllers ...principal.Principal) *state.Entry {
	k := canister.New(principal.Canister(number), noon, canister.DefaultSettings(controllers...))
	k.Balance = cycles.Of(1_000_000_000_000)
	return r.st.Add(k)
}

func (r *rig) encode(args ...any) []byte {
	r.Helper()
	raw, err := candid.Marshal(args...)
	if err != nil {
		r.Fatal(err)
	}
	return raw
}

// byUser is a call of a user.
func (r *rig) byUser(who principal.Principal, method string, args ...any) *state.ManagementCall {
	r.Helper()
	return &state.ManagementCall{
		Host: r.host, State: r.st, Method: method, Arg: r.encode(args...), Caller: who,
		Origin: intercanister.Origin{Kind: intercanister.FromIngress, Caller: who, Ingress: 1},
	}
}

// byCanister is a call of a canister with cycles.
func (r *rig) byCanister(who *state.Entry, attached uint64, method string, args ...any) *state.ManagementCall {
	r.Helper()
	c := r.byUser(who.ID(), method, args...)
	c.Origin = intercanister.Origin{Kind: intercanister.FromCanister, Caller: who.ID(), Call: 1}
	c.Sender, c.Attached = who, cycles.Of(attached)
	return c
}

// run runs a call and applies its effect.
func (r *rig) run(c *state.ManagementCall) state.Answer { return r.apply(c, r.facade.Run(c)) }

// replied runs a call and reads its reply.
func (r *rig) replied(c *state.ManagementCall, targets ...any) {
	r.Helper()
	before := len(r.answered)
	a := r.run(c)
	if a.When == state.Deferred && len(r.answered) == before+1 {
		a = r.answered[before]
	}
	r.read(a, targets...)
}

func (r *rig) read(a state.Answer, targets ...any) {
	r.Helper()
	if a.Reject != nil || a.When != state.Now {
		r.Fatalf("want a reply, got %v (when %d)", a.Reject, a.When)
	}
	if err := candid.Unmarshal(a.Reply, targets...); err != nil {
		r.Fatal(err)
	}
}

// rejected runs a call and checks the reject's code and text; text ending in …
// is only the beginning.
func (r *rig) rejected(c *state.ManagementCall, code intercanister.ErrorCode, text string) {
	r.Helper()
	before := c.Attached
	r.is(r.run(c).Reject, code, text)
	if c.Attached != before {
		r.Errorf("a rejected call kept cycles: %s of %s are left", c.Attached, before)
	}
}

func (r *rig) is(reject *intercanister.Reject, code intercanister.ErrorCode, text string) {
	r.Helper()
	if reject == nil {
		r.Fatalf("want %s: %s", code, text)
	}
	begin, cut := strings.CutSuffix(text, "…")
	if reject.Error != code || reject.Code != code.Reject() || !strings.HasPrefix(reject.Text, begin) || !cut && reject.Text != text {
		r.Errorf("got  %s\nwant %s: %s", reject, code, text)
	}
}

// refusedAtTheDoor checks that a user's message is not admitted.
func (r *rig) refusedAtTheDoor(c *state.ManagementCall, code intercanister.ErrorCode, text string) {
	r.Helper()
	r.is(r.facade.Admit(c), code, text)
}

func (r *rig) admitted(c *state.ManagementCall) {
	r.Helper()
	if reject := r.facade.Admit(c); reject != nil {
		r.Errorf("not admitted: %s", reject)
	}
}

// control is the text for callers that do not control the target.
func (r *rig) control(who principal.Principal) string {
	return "Only the controllers of the canister " + r.target.ID().String() + " can control it.\nCanister's controllers: " + alice.String() +
		"\nSender's ID: " + who.String() + "\nExecute this call from a controller of the target canister or add the current caller as a controller. " +
		"See documentation: https://internetcomputer.org/docs/current/references/execution-errors#invalid-controller"
}

func opt[T any](v T) *T { return &v }

func nat(n uint64) *candid.Nat { return opt(candid.NatOf(n)) }

// big is 2^n.
func big(n uint) *candid.Nat {
	a := cycles.Amount{Hi: 1 << (n - 64)}
	if n < 128 {
		return opt(natOf(a))
	}
	twice, _ := candid.NatOfBig(cycles.Max.Big())
	sum := twice.Big()
	sum.Add(sum, cycles.Of(1).Big())
	out, _ := candid.NatOfBig(sum)
	return &out
}
