package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Job is one message of a canister during its execution. Jobs are recycled.
type Job struct {
	*state.Execution
	subnet *subnet
	room   func(callee principal.Principal) int

	outcome   canister.Outcome
	calls     []ProfiledCall        // that it has made, if it is profiled
	refused   *intercanister.Reject // it does not run
	base      bool                  // it does not run, but has paid the base fee
	dropped   bool                  // it does not run, and its caller receives nothing
	wall      int64                 // ns on the runner's stopwatch
	woke      uint64                // ns, the time that the message sees after its wait
	executed  uint64                // instructions before its wait
	over      bool
	coroutine *coroutine
}

// Canister returns the canister of the message.
func (j *Job) Canister() *canister.Canister { return j.Entry.Canister }

// execute runs the message to its end; it calls pause whenever a slice ends, and sleep when the message waits for a
// time.
func (j *Job) execute(pause func(), sleep func(until, executed uint64) uint64) {
	x := j.subnet.net.executor
	if j.Install != nil {
		j.Install.In.Pause = pause
		j.outcome = x.Install(j.Entry.Canister, j.Environment, j.Install.In)
		return
	}
	j.Message.Pause, j.Message.Sleep = pause, sleep
	j.outcome = x.Execute(j.Entry.Canister, j.Environment, &j.Message)
}

// executeShort executes a short message, which is never parked. It returns false, and has changed nothing, if the message is
// not short.
func (j *Job) executeShort() (ended bool) {
	return j.Install == nil && j.Pauses == nil &&
		j.subnet.net.executor.ExecuteShort(j.Entry.Canister, j.Environment, &j.Message, &j.outcome)
}

// runs reports whether the job needs an executor.
func (j *Job) runs() bool { return j.refused == nil && !j.dropped }

// ingress returns the number of the user's message that the job executes, and false if it executes another message.
func (j *Job) ingress() (number uint64, ok bool) {
	switch {
	case j.Install != nil:
		return j.Install.Call.Origin.Ingress, j.Install.Call.FromUser()
	case j.In.Source == intercanister.SourceIngress:
		return j.In.Ingress, true
	}
	return 0, false
}
