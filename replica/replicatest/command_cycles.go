package replicatest

import (
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
)

// cycles gives a canister new cycles.
func (p *performer) cycles(words []string) {
	var given cycles.Amount
	if err := given.UnmarshalText([]byte(words[1])); err != nil {
		p.t.Fatal(err)
	}
	if refusal := p.stage.Apply(replica.AddCycles{Canister: p.stage.ID(p.number(words[0])), Amount: given}).Refusal; refusal != nil {
		p.say("%s", refusal.Text)
	}
}
