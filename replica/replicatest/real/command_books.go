package real

// books tells whether every cycle is accounted for, and how many were lost.
func (p *performer) books(string) {
	t := p.Introspect().AuditCycles()
	if t.Held().Add(t.Spent()) != t.Minted {
		p.say("the books do not balance: %+v", t)
		return
	}
	p.say("every cycle is accounted for, %s were lost", t.Lost)
}
