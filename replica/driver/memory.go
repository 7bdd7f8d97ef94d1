package driver

import "github.com/canisterd/canisterd/replica"

// accounting is the charge on the instance's budget for what the network keeps; the recorder charges its events. Only
// the holder of owner uses it.
type accounting struct {
	charged int64
}

// reserve takes the bytes of a message before the owner sees it; the caller releases them when the message was applied.
func (d *Driver) reserve(in *replica.Ingress) (bytes int64, err error) {
	bytes = int64(len(in.Arg) + len(in.Method) + messageOverhead)
	return bytes, d.config.Memory.Reserve(bytes)
}

// account charges the budget with what the network keeps now. Answers above their share of the budget are dropped,
// oldest first, as they are above replica.MaxAnswerBytes.
func (d *Driver) account() {
	if d.config.Memory == nil {
		return
	}
	sum := d.network.MessageBytes()
	most := int(d.config.Memory.Limit() / answerShare)
	d.charge(&sum)
	if excess := int(d.config.Memory.Excess()); excess > 0 {
		most = min(most, max(sum.Answers-excess, 0))
		d.forgetEvents()
	}
	if sum.Answers > most && !d.network.Activity().RoundOpen {
		d.network.Apply(&replica.ShedAnswers{Bytes: most})
		sum = d.network.MessageBytes()
	}
	d.charge(&sum)
}

// forgetEvents forgets the oldest events where a budget is exceeded: its own if that is the instance's, otherwise those
// of the drivers that keep most.
func (d *Driver) forgetEvents() {
	memory := d.config.Memory
	if d.config.EventMemory == nil || memory.Used() > memory.Limit() {
		d.recorder.shrink(int(memory.Excess()))
		return
	}
	d.config.EventMemory.forget(memory.Excess())
}

func (d *Driver) charge(sum *replica.MessageBytes) {
	now := int64(sum.Waiting + sum.Answers + sum.Unstaged + sum.Records)
	d.config.Memory.Charge(now - d.accounted.charged)
	d.accounted.charged = now
}
