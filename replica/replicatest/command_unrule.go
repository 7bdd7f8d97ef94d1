package replicatest

import "github.com/canisterd/canisterd/replica"

// unrule removes a rule, and releases its held messages on request.
func (p *performer) unrule(words []string) {
	p.refused(p.stage.Apply(replica.RemoveRule{ID: uint64(p.number(words[0])), Release: len(words) > 1}))
}
