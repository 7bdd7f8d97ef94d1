package replicatest

import "github.com/canisterd/canisterd/replica"

// step makes some single moves, one if no number is given.
func (p *performer) step(words []string) {
	count := 1
	if len(words) > 0 {
		count = p.number(words[0])
	}
	for range count {
		p.stage.Step(replica.FIFO{})
	}
}
