package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Job is one message of a canister on its way through an executor. Jobs are
// recycled.
type Job struct {
	subnet      *subnet
	entry       *state.Entry
	in          intercanister.Input
	environment *canister.Subnet
	message     canister.Message
	install     *installation

	context  intercanister.ContextID
	prepaid  cycles.Amount // for limit instructions
	limit    uint64
	wide     bool
	callback bool
	room     func(callee principal.Principal) int

	outcome   canister.Outcome
	refused   *intercanister.Reject // it does not run at all
	base      bool                  // it does not run, but was prepaid
	dropped   bool                  // it does not run, and nobody is told
	began     Moment
	wall      int64   // ns on the runner's stopwatch
	first     sight   // when it began
	parked    *parked // nil before it was parked
	over      bool
	coroutine *coroutine
}

// installation is an install_code on its way.
type installation struct {
	command *state.Command
	in      *canister.Install
	spent   uint64 // instructions, before it began
}

// Canister is whose message it is.
func (j *Job) Canister() *canister.Canister { return j.entry.Canister }

// execute runs the message to its end and calls pause whenever a slice is over.
func (j *Job) execute(pause func()) {
	x := j.subnet.net.executor
	if j.install != nil {
		j.install.in.Pause = pause
		j.outcome = x.Install(j.entry.Canister, j.environment, j.install.in)
		return
	}
	j.message.Pause = pause
	j.outcome = x.Execute(j.entry.Canister, j.environment, &j.message)
}

// runs reports whether the job needs an executor.
func (j *Job) runs() bool { return j.refused == nil && !j.dropped }
