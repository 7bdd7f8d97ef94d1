package replicatest

import (
	"strings"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// settle answers the call of a held message, or any waiting call.
func (p *performer) settle(words []string) {
	number, isCall := strings.CutPrefix(words[0], "#")
	words = words[1:]
	subnet := len(p.stage.View().Subnets) - 1
	if words[0] == "on" {
		subnet, words = p.number(words[1]), words[2:]
	}
	answer := p.settlement(words[0], words[1:])
	if isCall {
		p.refused(p.stage.Apply(&replica.SettleCall{
			Subnet: p.stage.View().Subnets[subnet].ID, Call: intercanister.CallID(p.number(number)), Answer: answer,
		}))
		return
	}
	p.refused(p.stage.Apply(&replica.SettleHeld{ID: uint64(p.number(number)), Answer: answer}))
}
