package replicatest

import "github.com/canisterd/canisterd/replica"

// unrule forgets a rule, and releases its held messages if asked to.
func (p *performer) unrule(words []string) {
	p.refused(p.stage.Apply(replica.RemoveRule{ID: uint64(p.number(words[0])), Release: len(words) > 1}))
}
