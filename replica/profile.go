package replica

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
)

// Profiler receives the profiles of messages. It changes nothing that a network does, and is not part of its state.
type Profiler interface {
	// Profiled reports whether the runs of a canister are profiled. Any goroutine calls it.
	Profiled(canister principal.Principal) bool
	// Executed receives a message that was executed, on the goroutine of the network. The message is not used afterwards.
	Executed(m *ProfiledMessage)
	// Queried receives the messages of a query, from the query to its last callback, on the goroutine that ran it. Their
	// calls have numbers of their own.
	Queried(messages []ProfiledMessage)
}

// ProfiledMessage is a message with the profiles of its runs.
type ProfiledMessage struct {
	Canister principal.Principal
	Method   string // that was called; of a callback, the method whose context it continues; of a task, its function
	Install  bool   // it is an installation of code; Method is that of the management canister
	// Caused is the call that the message executes or whose response it receives. It is zero for messages of users and
	// of the system.
	Caused CallRef
	Answer bool // it receives the response
	Runs   []canister.ProfiledRun
	// Instructions is what the message is charged for: the instructions of its runs.
	Instructions uint64
	Calls        []ProfiledCall // in the order of ic0.call_perform
}

// CallRef is a call, by the subnet of its caller.
type CallRef struct {
	Subnet principal.Principal
	Call   intercanister.CallID
}

// ProfiledCall is a call that a message made.
type ProfiledCall struct {
	CallRef
	Callee principal.Principal
	Method string
}

// Profile sends the profiles of messages that begin from now on to a profiler; nil stops them.
func (n *Network) Profile(p Profiler) {
	n.profiler = p
	n.observe()
}

// observe tells messages that begin from now on what observes them.
func (n *Network) observe() {
	for _, m := range n.subnets {
		if len(m.paused) > 0 { // paused messages keep the environment that they began with
			environment := *m.Environment
			m.Environment = &environment
		}
		m.Environment.Profiled, m.Environment.Covered = n.profiled(), n.covered
	}
}

func (n *Network) profiled() func(principal.Principal) bool {
	if n.profiler == nil {
		return nil
	}
	return n.profiler.Profiled
}

// beginProfile describes a job for the profiler, while its context exists. It returns nil if nothing was profiled.
func (s *subnet) beginProfile(j *Job) *ProfiledMessage {
	if s.net.profiler == nil || len(j.outcome.Runs) == 0 {
		return nil
	}
	e := describe(&s.State, j)
	m := &ProfiledMessage{
		Canister: e.Canister, Method: e.Method, Install: j.Install != nil, Runs: j.outcome.Runs, Answer: j.Callback,
		Instructions: j.outcome.Instructions,
	}
	if e.Task != intercanister.NoTask {
		m.Method = e.Task.String()
	}
	switch {
	case m.Answer:
		m.Caused = CallRef{s.ID, e.Call}
	case e.Source == intercanister.SourceRequests:
		if position := s.net.routes.find(e.Peer); position >= 0 {
			m.Caused = CallRef{s.net.subnets[position].ID, e.Call}
		}
	}
	return m
}

// endProfile sends a profile, with the calls that the job has made.
func (s *subnet) endProfile(j *Job, m *ProfiledMessage) {
	if m != nil && s.net.profiler != nil {
		m.Calls = j.calls
		s.net.profiler.Executed(m)
	}
}

// InstalledModule is the code of a canister that a profile or a coverage needs in another form. Any goroutine may call
// its methods.
type InstalledModule struct {
	Canister principal.Principal
	module   *canister.Module
}

// WarmProbes compiles the form for profiles, so that no message waits for it.
func (m InstalledModule) WarmProbes(ctx context.Context) error { return m.module.WarmProbes(ctx) }

// WarmCoverage compiles the form for a coverage, so that no message waits for it, and lists the module there.
func (m InstalledModule) WarmCoverage(ctx context.Context, c *canister.Coverage) error {
	return m.module.WarmCoverage(ctx, c)
}

// InstalledModules returns the modules of selected canisters.
func (n *Network) InstalledModules(selected func(canister principal.Principal) bool) (modules []InstalledModule) {
	for _, m := range n.subnets {
		for r := range m.Canisters.All() {
			if module := r.Canister.Module(); module != nil && selected(r.ID()) {
				modules = append(modules, InstalledModule{r.ID(), module})
			}
		}
	}
	return modules
}
