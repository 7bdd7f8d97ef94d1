package real

import (
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// late asks a query method for which there is only so much time: it is over when the query
// asked for it a number of times. A query asks before each message but its first.
func (p *performer) late(rest string) {
	count, rest := cut(rest)
	left := p.number(count)
	q := p.composed(rest)
	q.Late = func() bool { left--; return left < 0 }
	p.say("%s", shownQuery(p.Ask(q)))
}

// abandoned asks a query method. Its requests to its node stay unanswered.
func (p *performer) abandoned(rest string) {
	prepared := p.PrepareQuery(p.composed(rest))
	prepared.Through(func(func()) error { return driver.ErrClosed })
	p.say("%s", shownQuery(prepared.Run()))
}

func (p *performer) composed(rest string) *replica.Query {
	name, rest := cut(rest)
	method, program := cut(rest)
	id := p.ID(name)
	return &replica.Query{Sender: p.User, Receiver: id, Effective: id, Method: method, Arg: p.program(program)}
}
