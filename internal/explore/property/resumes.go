package property

import (
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// NeverResumes finds methods whose code ends without an answer: all calls that it made are over, and none of their callbacks
// continued it. A method that does so in a run without faults may mean it. If a cleanup callback exceeds the instruction limit,
// it is a suspicion: a canister with two calls in flight is never told that one of its callbacks has trapped.
type NeverResumes struct {
	atRest
	known map[string]bool // canister and method
}

// Name returns "never-resumes".
func (*NeverResumes) Name() string { return "never-resumes" }

// Learn records the methods that end without an answer in a run without faults.
func (p *NeverResumes) Learn(r *harness.Run, _ bool) {
	if p.known == nil {
		p.known = make(map[string]bool)
	}
	for _, v := range p.unanswered(r) {
		p.known[v.Key()] = true
	}
}

// AtRest returns the methods that end without an answer, but answer in each run without faults.
func (p *NeverResumes) AtRest(r *harness.Run) (found []Violation) {
	untold := slices.ContainsFunc(r.Plan(), func(f harness.Fault) bool { return f.Kind == harness.TrapCleanup })
	for _, v := range p.unanswered(r) {
		if !p.known[v.Key()] {
			v.Suspicion = untold
			found = append(found, v)
		}
	}
	return found
}

// unanswered returns a violation for each method that ended without an answer.
func (p *NeverResumes) unanswered(r *harness.Run) (found []Violation) {
	for _, a := range r.Answers() {
		if message := &r.Setup().Operations[a.Position].Message; didNotReply(a.Reject) {
			found = append(found, Violation{
				Property: p.Name(), Canister: message.Receiver, Method: message.Method,
				Text: fmt.Sprintf("%s of %s ends without an answer: it awaits something that never comes, and its code after the await does not run", message.Method, r.Setup().NameOf(message.Receiver)),
			})
		}
	}
	for _, s := range r.Steps() {
		if didNotReply(s.Rejected) {
			found = append(found, Violation{
				Property: p.Name(), Canister: s.Peer, Method: s.Method, At: s.Move,
				Text: fmt.Sprintf("%s of %s ends without an answer: it awaits something that never comes, and its code after the await does not run", s.Method, r.Setup().NameOf(s.Peer)),
			})
		}
	}
	return found
}

func didNotReply(reject *intercanister.Reject) bool {
	return reject != nil && reject.Error == intercanister.CanisterDidNotReply
}
