package replicatest

import "github.com/canisterd/canisterd/replica"

// release releases a held message.
func (p *performer) release(words []string) {
	p.refused(p.stage.Apply(replica.ReleaseHeld{ID: uint64(p.number(words[0]))}))
}
