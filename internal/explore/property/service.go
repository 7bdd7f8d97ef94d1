package property

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// LostService finds operations that work after every serial run, but not after this run: a lock is never released, say.
// An operation works if it gets a reply. Two cases are suspicions: the operation works again a day later (the lock
// expires), or it replies a variant case that it replies after no serial run.
type LostService struct {
	atRest
	// ReplyText returns a reply of a method of a canister in Candid text.
	ReplyText func(canister principal.Principal, method string, reply []byte) string
	works     map[int]bool     // by position: operations that work after every serial run
	cases     map[int][]string // by position: variant cases of replies
}

// Name returns "lost-service".
func (*LostService) Name() string { return "lost-service" }

// Learn probes all operations after a serial run.
func (p *LostService) Learn(r *harness.Run, serial bool) {
	if !serial {
		return
	}
	first := p.works == nil
	if first {
		p.works, p.cases = make(map[int]bool), make(map[int][]string)
	}
	for i := range r.Setup().Operations {
		answer := r.Probe(i, maxProbe, 0)
		p.works[i] = works(answer) && (first || p.works[i])
		p.cases[i] = append(p.cases[i], caseOf(answer.Reply))
	}
	for _, answer := range r.Answers() { // the replies during the serial run are valid, too
		p.cases[answer.Position] = append(p.cases[answer.Position], caseOf(answer.Reply))
	}
}

// sameAsEarlier reports whether an earlier operation has the same message, so that its probe is enough.
func sameAsEarlier(operations []harness.Operation, position int) bool {
	own := &operations[position].Message
	return slices.ContainsFunc(operations[:position], func(o harness.Operation) bool {
		m := &o.Message
		return m.Receiver == own.Receiver && m.Sender == own.Sender && m.Method == own.Method && bytes.Equal(m.Arg, own.Arg)
	})
}

func works(a harness.Answer) bool { return !a.Open && a.Reject == nil }

// caseOf returns the case of a reply that is a variant, "" for other replies.
func caseOf(reply []byte) string {
	values, _, err := candid.Decode(reply)
	if err != nil || len(values) == 0 {
		return ""
	}
	if v, ok := values[0].(candid.Variant); ok {
		return v.Label.String()
	}
	return ""
}

// notWorking describes an operation that does not work after a run; again says that it works a day later.
func notWorking(title string, answer *harness.Answer, again bool) string {
	what, why := "is not answered", ""
	if answer.Reject != nil {
		what, why = "is rejected", fmt.Sprintf(": %s", answer.Reject)
	}
	if again {
		return fmt.Sprintf("%s %s after this run, and works a day later%s", title, what, why)
	}
	return fmt.Sprintf("%s %s after this run, and does not work a day later%s", title, what, why)
}

// AtRest probes the operations that must work.
func (p *LostService) AtRest(r *harness.Run) (found []Violation) {
	if silentOf(r) != "" {
		return nil // OpenAtRest reports callers that wait for a silent callee
	}
	operations := r.Setup().Operations
	for i := range operations {
		if !p.works[i] || sameAsEarlier(operations, i) {
			continue
		}
		operation := &operations[i]
		answer := r.Probe(i, maxProbe, 0)
		v := Violation{Property: p.Name(), Canister: operation.Message.Receiver, Method: operation.Message.Method}
		switch got := caseOf(answer.Reply); {
		case !works(answer):
			v.Suspicion = works(r.Probe(i, maxProbe, later))
			v.Text = notWorking(operation.Title, &answer, v.Suspicion)
		case !slices.Contains(p.cases[i], got):
			v.Suspicion = true
			v.Text = fmt.Sprintf("%s replies %s after this run, but after no serial run", operation.Title, p.ReplyText(operation.Message.Receiver, operation.Message.Method, answer.Reply))
		default:
			continue
		}
		found = append(found, v)
	}
	return found
}
