package replicatest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Manager is a management canister of few words. The argument of each method
// is text: the canister's number, then words of the method's own.
//
//	create BALANCE                  replies with the id; cycles out of nothing, and those of the call
//	install N [PROGRAM]             runs the program as init
//	environment N NAME [PROGRAM]    sets the program of a task, or takes it away
//	deposit N                       gives the canister the cycles of the call
//	mint N AMOUNT                   gives it cycles out of nothing
//	stop, start, uninstall, delete N
type Manager struct {
	First  uint64 // number of the canister called 0
	Module []byte // what install installs; nil: a puppet
	// NeverFreezes gives new canisters no freezing threshold.
	NeverFreezes bool
}

var _ state.Management = Manager{}

// Effective returns the canister at the beginning of the argument.
func (m Manager) Effective(method string, arg []byte) (principal.Principal, bool, *intercanister.Reject) {
	if method == "create" {
		return principal.Principal{}, true, nil
	}
	number, _, _ := strings.Cut(string(arg), " ")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return principal.Principal{}, false, intercanister.Rejectf(intercanister.InvalidManagementPayload, "no canister number in %q", arg)
	}
	return principal.Canister(m.First + n), false, nil
}

// Payment is always before the execution.
func (m Manager) Payment(string, []byte) state.Payment { return state.PaysBefore }

// Redirect sends no call elsewhere.
func (m Manager) Redirect(string, []byte) principal.Principal { return principal.Principal{} }

// Sent lets every call pass.
func (m Manager) Sent(string, []byte, uint64, func(principal.Principal) bool) *intercanister.Reject {
	return nil
}

// Admit accepts everything about an existing canister.
func (m Manager) Admit(c *state.ManagementCall) *intercanister.Reject {
	if c.Method != "create" && c.Target == nil {
		return intercanister.Rejectf(intercanister.CanisterNotFound, "no such canister")
	}
	return nil
}

// Postponed returns nil for all methods.
func (m Manager) Postponed(string) func(*state.State) state.Answer { return nil }

// Query rejects all methods.
func (m Manager) Query(c *state.ManagementCall) state.Answer {
	return state.Fail(intercanister.Rejectf(intercanister.CanisterMethodNotFound, "Query method %s not found.", c.Method))
}

// Run executes a method.
func (m Manager) Run(c *state.ManagementCall) state.Answer {
	words := strings.SplitN(string(c.Arg), " ", 3)
	if c.Method == "create" {
		return m.create(c, amount(words[0]))
	}
	id, _, reject := m.Effective(c.Method, c.Arg)
	r := c.State.Canisters.Get(id)
	if reject != nil || r == nil {
		return state.Fail(intercanister.Rejectf(intercanister.CanisterNotFound, "no such canister"))
	}
	switch {
	case c.Method == "deposit":
		r.Give(c.Accept(cycles.Max))
		return state.Reply([]byte("done"))
	case c.Method == "mint" && len(words) > 1:
		c.State.Totals.Mint(amount(words[1]))
		r.Give(amount(words[1]))
		return state.Reply([]byte("done"))
	case r.Running:
		return state.WhenIdle(r)
	case c.Method == "delete" && r.Canister.Status != canister.Stopped:
		return state.Fail(intercanister.Rejectf(intercanister.CanisterNotStopped, "not stopped"))
	case c.Method == "delete" && r.Outgoing > 0:
		return state.Fail(intercanister.Rejectf(intercanister.CanisterQueueNotEmpty, "not sent"))
	}
	if c.Method == "install" {
		return m.install(c, r, strings.Join(words[1:], " "))
	}
	return change(c, r, words)
}

// amount reads a number of cycles; invalid text counts as zero.
func amount(word string) cycles.Amount {
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		return cycles.Amount{}
	}
	return cycles.Of(n)
}

func (m Manager) create(c *state.ManagementCall, minted cycles.Amount) state.Answer {
	settings := canister.DefaultSettings(c.Caller)
	if m.NeverFreezes {
		settings.FreezingThreshold = 0
	}
	r, reject := c.Host.Create(nil, settings, minted.Add(c.Attached))
	if reject != nil {
		return state.Fail(reject)
	}
	c.Accept(cycles.Max)
	c.State.Totals.Mint(minted)
	return state.Reply(r.ID().Bytes())
}

func (m Manager) install(c *state.ManagementCall, r *state.Entry, program string) state.Answer {
	in := &canister.Install{Arg: []byte(program), Caller: c.Caller}
	if m.Module != nil {
		var reject *intercanister.Reject
		if in.Module, reject = c.Host.Prepare(m.Module, r.Canister.Features); reject != nil {
			return state.Fail(reject)
		}
		in.Mode = canister.Reinstall
	}
	return c.State.WhenInstalled(r, in, 0)
}

// Installed answers an installation that has ended.
func (m Manager) Installed(_ *state.ManagementCall, _ *state.Entry, _ uint64, out canister.Outcome) state.Answer {
	if out.Failure != nil {
		return state.Fail(out.Failure)
	}
	return state.Reply([]byte("installed"))
}

func change(c *state.ManagementCall, r *state.Entry, words []string) state.Answer {
	r.Canister.Version++
	done := state.Reply([]byte("done"))
	switch c.Method {
	case "environment":
		setEnvironment(r, words[1:])
		return done.After(state.RefreshEntryPoints, r)
	case "stop":
		return state.Later().After(state.StopCanister, r)
	case "start":
		return done.After(state.StartCanister, r)
	case "uninstall":
		return done.After(state.UninstallCode, r)
	case "delete":
		return done.After(state.DeleteCanister, r)
	}
	return state.Fail(intercanister.Rejectf(intercanister.CanisterMethodNotFound, "no method %s", c.Method))
}

// setEnvironment sets the program that a word names, or removes it.
func setEnvironment(r *state.Entry, words []string) {
	settings := *r.Canister.Settings
	variables := slices.DeleteFunc(slices.Clone(settings.Environment), func(v canister.Variable) bool { return v.Name == words[0] })
	if len(words) > 1 {
		variables = append(variables, canister.Variable{Name: words[0], Value: words[1]})
	}
	settings.SetEnvironment(variables)
	r.Canister.Settings = &settings
}
