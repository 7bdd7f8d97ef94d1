package node

import "github.com/canisterd/canisterd/replica"

// accounting is the charge on the instance's budget for what the network keeps; the recorder charges its events. Only
// the holder of owner uses it.
type accounting struct {
	charged int64
}

// reserve takes the bytes of a message before the owner sees it; the caller releases them when the message was applied.
func (n *Node) reserve(in *replica.Ingress) (bytes int64, err error) {
	bytes = int64(len(in.Arg) + len(in.Method) + messageOverhead)
	return bytes, n.config.Memory.Reserve(bytes)
}

// account charges the budget with what the network keeps now. Answers above their share of the budget are dropped,
// oldest first, as they are above replica.MaxAnswerBytes.
func (n *Node) account() {
	if n.config.Memory == nil {
		return
	}
	sum := n.network.MessageBytes()
	most := int(n.config.Memory.Limit() / answerShare)
	n.charge(&sum)
	if excess := int(n.config.Memory.Excess()); excess > 0 {
		most = min(most, max(sum.Answers-excess, 0))
		n.forgetEvents()
	}
	if sum.Answers > most && !n.network.Activity().RoundOpen {
		n.network.Apply(&replica.ShedAnswers{Bytes: most})
		sum = n.network.MessageBytes()
	}
	n.charge(&sum)
}

// forgetEvents forgets the oldest events where a budget is exceeded: its own if that is the instance's, otherwise those of
// the nodes that keep most.
func (n *Node) forgetEvents() {
	memory := n.config.Memory
	if n.config.EventMemory == nil || memory.Used() > memory.Limit() {
		n.recorder.shrink(int(memory.Excess()))
		return
	}
	n.config.EventMemory.forget(memory.Excess())
}

func (n *Node) charge(sum *replica.MessageBytes) {
	now := int64(sum.Waiting + sum.Answers + sum.Unstaged + sum.Records)
	n.config.Memory.Charge(now - n.accounted.charged)
	n.accounted.charged = now
}
