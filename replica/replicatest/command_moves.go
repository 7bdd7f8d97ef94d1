package replicatest

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/sched"
)

// moves lists the legal moves of the open round.
func (p *performer) moves([]string) {
	for _, m := range p.stage.Moves() {
		to := p.name(principalOf(m.Receiver))
		switch m.Kind {
		case sched.Request:
			p.say("%s: a request of %s", to, p.name(principalOf(m.Sender)))
		case sched.Response:
			p.say("%s: the response to #%d", to, m.Number)
		case sched.Resume:
			p.say("%s: the next slice", to)
		case sched.Ingress:
			p.say("%s: an ingress message", to)
		case sched.Task:
			p.say("%s: a task", to)
		}
	}
}

func principalOf(name sched.Name) principal.Principal {
	return principal.MustFromBytes(name[1 : 1+name[0]])
}
