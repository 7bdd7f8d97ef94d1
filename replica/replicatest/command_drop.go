package replicatest

import "github.com/canisterd/canisterd/replica"

// drop loses a held message.
func (p *performer) drop(words []string) {
	p.refused(p.stage.Apply(replica.DropHeld{ID: uint64(p.number(words[0]))}))
}
