package replicatest

import (
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
//	create BALANCE                  replies with the id; the caller controls it
//	install N [PROGRAM]             runs the program as init
//	environment N NAME PROGRAM      sets the program of a task
//	stop, start, uninstall, delete N
type Manager struct {
	First  uint64 // number of the canister called 0
	Module []byte // what install installs; nil: a puppet
}

var _ state.Management = Manager{}

// Effective is the canister the argument begins with.
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

// Redirect sends no call elsewhere.
func (m Manager) Redirect(string, []byte) principal.Principal { return principal.Principal{} }

// Admit accepts everything about a canister that is there.
func (m Manager) Admit(c *state.Command) *intercanister.Reject {
	if c.Method != "create" && c.Target == nil {
		return intercanister.Rejectf(intercanister.CanisterNotFound, "no such canister")
	}
	return nil
}

// Query knows no method.
func (m Manager) Query(c *state.Command) state.Answer {
	return state.Fail(intercanister.Rejectf(intercanister.CanisterMethodNotFound, "Query method %s not found.", c.Method))
}

// Run executes a method.
func (m Manager) Run(c *state.Command) state.Answer {
	words := strings.SplitN(string(c.Arg), " ", 3)
	if c.Method == "create" {
		balance, _ := strconv.ParseUint(words[0], 10, 64)
		r, reject := c.Machine.Create(nil, canister.DefaultSettings(c.Caller), cycles.Of(balance).Add(c.Accept(cycles.Max)))
		if reject != nil {
			return state.Fail(reject)
		}
		return state.Reply(r.ID().Bytes())
	}
	id, _, reject := m.Effective(c.Method, c.Arg)
	r := c.State.Residents.Get(id)
	if reject != nil || r == nil {
		return state.Fail(intercanister.Rejectf(intercanister.CanisterNotFound, "no such canister"))
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	if c.Method == "install" {
		return m.install(c, r, strings.Join(words[1:], " "))
	}
	return m.change(c, r, words)
}

func (m Manager) install(c *state.Command, r *state.Resident, program string) state.Answer {
	in := &canister.Install{Arg: []byte(program), Caller: c.Caller}
	if m.Module != nil {
		var reject *intercanister.Reject
		if in.Module, reject = c.Machine.Prepare(m.Module); reject != nil {
			return state.Fail(reject)
		}
		in.Mode = canister.Reinstall
	}
	return c.Machine.Install(c, r, in, func(out canister.Outcome) state.Answer {
		if out.Failure != nil {
			return state.Fail(out.Failure)
		}
		return state.Reply([]byte("installed"))
	})
}

func (m Manager) change(c *state.Command, r *state.Resident, words []string) state.Answer {
	r.Canister.Version++
	switch c.Method {
	case "environment":
		r.Canister.Settings.SetEnvironment(append(r.Canister.Settings.Environment, canister.Variable{Name: words[1], Value: words[2]}))
		c.Machine.Recoded(r)
	case "stop":
		c.Machine.Stop(r, c.Ticket())
		return state.Later()
	case "start":
		c.Machine.Start(r)
	case "uninstall":
		c.Machine.Uninstall(r)
	case "delete":
		if r.Canister.Status != canister.Stopped {
			return state.Fail(intercanister.Rejectf(intercanister.CanisterNotStopped, "not stopped"))
		}
		c.Machine.Delete(r)
	default:
		return state.Fail(intercanister.Rejectf(intercanister.CanisterMethodNotFound, "no method %s", c.Method))
	}
	return state.Reply([]byte("done"))
}
