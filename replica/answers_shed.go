package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
)

// ShedAnswers makes every subnet drop its oldest answers until the kept ones fit a number of bytes. The status of their
// requests is then "done", as if answers took more than MaxAnswerBytes. The driver sends this input when it runs out of
// memory for answers.
type ShedAnswers struct{ Bytes int }

// DropAnswers makes a subnet drop the answers to some requests, whose status is then "done". Requests that are unknown or
// not answered stay as they are. The driver sends this input for large answers that clients have.
type DropAnswers struct {
	Subnet   principal.Principal
	Requests []RequestID
}

func (*ShedAnswers) input() {}
func (*DropAnswers) input() {}

func (n *Network) shedAnswers(in *ShedAnswers) Result {
	for _, m := range n.subnets {
		m.droppingAnswers(func() { m.History.ShedTo(in.Bytes, m.Show) })
	}
	return Result{}
}

func (n *Network) dropAnswers(in *DropAnswers) Result {
	position, ok := n.routes.byID[in.Subnet]
	if !ok {
		return refuse(refusal.Invalid, "subnet %s is not part of this network", in.Subnet)
	}
	m := n.subnets[position]
	m.droppingAnswers(func() {
		for _, id := range in.Requests {
			if r := m.History.Find(id); r != nil && r.Status.Terminal() {
				m.History.Drop(r, m.Show)
			}
		}
	})
	return Result{}
}

// droppingAnswers runs a function that drops answers.
func (s *subnet) droppingAnswers(drop func()) {
	_, before := s.History.Bytes()
	drop()
	_, after := s.History.Bytes()
	if dropped := before - after; dropped > 0 {
		s.record.bytes += dropped // the tree still has them
		s.TreeChanged = true
	}
}

// MessageBytes is the memory that messages take between rounds.
type MessageBytes struct {
	Waiting  int // arguments of users' messages that have not begun
	Answers  int // kept answers
	Unstaged int // answers that the certified trees do not show yet; some of them are kept as well
	Records  int // what messages take beside arguments and answers; a fork shares most of its source's
}

// MessageBytes returns the memory that the messages of all subnets take.
func (n *Network) MessageBytes() (sum MessageBytes) {
	for _, m := range n.subnets {
		waiting, answers := m.History.Bytes()
		sum.Waiting += waiting
		sum.Answers += answers
		sum.Unstaged += m.record.bytes
		sum.Records += m.History.RecordBytes()
	}
	return sum
}
