package real

import "github.com/canisterd/canisterd/candid"

// queried asks a query method of the management canister for a field of its answer.
func (p *performer) queried(rest string) {
	method, rest := cut(rest)
	name, field := cut(rest)
	r := p.QueryManagement(name, method, p.About(name, ""))
	if r.Refusal != nil || r.Reject != nil {
		p.say("%s", shownQuery(r))
		return
	}
	values, _, err := candid.Decode(r.Reply)
	if err != nil || len(values) != 1 {
		p.t.Fatalf("reply of %s: %v", method, err)
	}
	record, _ := values[0].(candid.Record)
	for _, f := range record {
		if f.ID == candid.Hash(field) {
			p.say("%s: %s", field, printable(p.labelled(candid.Format(f.Value))))
		}
	}
}

// asked tells the statistics of a canister's queries.
func (p *performer) asked(rest string) {
	s := p.Canister(p.ID(rest)).Queries
	p.say("%d calls, %d instructions, %d bytes asked, %d bytes replied", s.Calls, s.Instructions, s.RequestBytes, s.ResponseBytes)
}
