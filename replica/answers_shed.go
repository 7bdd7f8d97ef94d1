package replica

// ShedAnswers makes every subnet drop its oldest answers until the kept ones fit a number of bytes. The status of their
// requests is then "done", as if answers took more than MaxAnswerBytes. The driver sends this input when it runs out of
// memory for answers.
type ShedAnswers struct{ Bytes int }

func (*ShedAnswers) input() {}

func (n *Network) shedAnswers(in *ShedAnswers) Result {
	for _, m := range n.subnets {
		_, before := m.History.Bytes()
		m.History.ShedTo(in.Bytes, m.Show)
		_, after := m.History.Bytes()
		if dropped := before - after; dropped > 0 {
			m.record.bytes += dropped // the tree still has them
			m.TreeChanged = true
		}
	}
	return Result{}
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
