package real

import "github.com/canisterd/canisterd/replica"

// query asks a query method.
func (p *performer) query(rest string) {
	name, rest := cut(rest)
	method, program := cut(rest)
	p.say("%s", shownQuery(p.Query(name, method, p.program(program))))
}

func shownQuery(r replica.QueryResult) string {
	switch {
	case r.Refusal != nil:
		return printable("refused: " + r.Refusal.Text)
	case r.Reject != nil:
		return printable(r.Reject.String())
	}
	return "replied: " + readable(r.Reply)
}
