package replicatest

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// moves lists the legal moves of the open round.
func (p *performer) moves([]string) {
	for _, m := range p.stage.Moves() {
		to := p.name(principalOf(m.Receiver))
		switch m.Kind {
		case replica.MoveRequest:
			p.say("%s: a request of %s", to, p.name(principalOf(m.Sender)))
		case replica.MoveResponse:
			p.say("%s: the response to #%d", to, m.Number)
		case replica.MoveResume:
			p.say("%s: the next slice", to)
		case replica.MoveIngress:
			p.say("%s: an ingress message", to)
		case replica.MoveTask:
			p.say("%s: a task", to)
		}
	}
}

func principalOf(name replica.PrincipalBytes) principal.Principal {
	return principal.MustFromBytes(name[1 : 1+name[0]])
}
