package management

import (
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// facade is the management canister. It has no state: its methods change the State that they are given.
type facade struct{ methods map[string]*method }

// New returns the management canister of a network.
func New() state.Management {
	return &facade{methods: methods()}
}

// methods are all methods by name. They are the same in all networks and never change.
var methods = sync.OnceValue(func() map[string]*method {
	all := make(map[string]*method)
	for _, m := range table() {
		all[m.name] = &m
	}
	return all
})

// Effective returns the canister that a call is about, for calls of users and of canisters, because calls between
// subnets are routed by it: Admit decides whether users may call a method.
func (f *facade) Effective(name string, arg []byte) (principal.Principal, bool, *intercanister.Reject) {
	m := f.methods[name]
	if m == nil {
		return principal.Principal{}, false, cut(rejectNotExposed(name))
	}
	id, err := m.about.read(arg)
	switch {
	case m.about == noSubject:
		return principal.Principal{}, true, nil
	case err == nil:
		return id, false, nil
	case m.users != mayCall:
		return principal.Principal{}, true, nil
	}
	return principal.Principal{}, false, cut(rejectPayload(name, err))
}

// Payment returns when a user's message is paid for.
func (f *facade) Payment(name string, arg []byte) state.Payment {
	m := f.methods[name]
	if m == nil || m.fee == state.PaysAfter && len(arg) > LateFeeBytes {
		return state.PaysBefore
	}
	return m.fee
}

// Redirect returns where a canister's call of a method goes instead of this subnet.
func (f *facade) Redirect(name string, arg []byte) principal.Principal {
	if m := f.methods[name]; m != nil && m.redirect != nil {
		return m.redirect(arg)
	}
	return principal.Principal{}
}

// Admit returns why a user's message is not accepted, or nil.
func (f *facade) Admit(c *state.ManagementCall) *intercanister.Reject { return cut(f.admit(c)) }

func (f *facade) admit(c *state.ManagementCall) *intercanister.Reject {
	m := f.methods[c.Method]
	if m == nil {
		return rejectNotExposed(c.Method)
	}
	switch {
	case m.users == notByIngress:
		return rejectNotByIngress(c.Method)
	case m.users == onlyCanisters, m.users == onlyAdmins && !c.State.Administered:
		return rejectOnlyCanisters(c.Method)
	case m.users == onlyAdmins:
		if reject := mustAdmin(c); reject != nil {
			return reject
		}
	}
	if err := m.check(c.Arg); err != nil {
		return rejectPayload(c.Method, err)
	}
	if m.authority == anyone {
		return nil
	}
	id, err := m.about.read(c.Arg)
	if err != nil {
		return rejectPayload(c.Method, err)
	}
	r := c.State.Canisters.Get(id)
	if r == nil {
		return rejectNotFoundIngress(id)
	}
	return m.authority.admit(c, r)
}

// Run executes a call in a round.
func (f *facade) Run(c *state.ManagementCall) state.Answer {
	a := f.run(c)
	a.Reject = cut(a.Reject)
	return a
}

func (f *facade) run(c *state.ManagementCall) state.Answer {
	m := f.methods[c.Method]
	switch {
	case m == nil:
		return state.Fail(rejectNoMethod(c.Method))
	case m.run == nil:
		return state.Fail(rejectOnlyQuery(c.Method))
	case c.FromUser() && m.users != mayCall && (m.users != onlyAdmins || !isAdmin(c)):
		return state.Fail(rejectUser(c.Method))
	}
	if m.sameSubnetOnly {
		if reject := checkNear(c); reject != nil {
			return state.Fail(reject)
		}
	}
	return m.run(c)
}

// Postponed returns the function that answers calls of a method in the next round.
func (f *facade) Postponed(name string) func(*state.State) state.Answer {
	if m := f.methods[name]; m != nil {
		return m.postponed
	}
	return nil
}

// Query executes a query call.
func (f *facade) Query(c *state.ManagementCall) state.Answer {
	m := f.methods[c.Method]
	if m == nil || m.query == nil {
		return state.Fail(cut(rejectNoQuery(c.Method)))
	}
	if id, err := m.about.read(c.Arg); err == nil && c.State.Canisters.Get(id) == nil {
		return state.Fail(rejectNotFoundQuery(id))
	}
	a := m.query(c)
	a.Reject = cut(a.Reject)
	return a
}
