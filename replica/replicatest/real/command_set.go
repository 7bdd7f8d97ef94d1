package real

import (
	"strings"

	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
)

// set makes the balance of a canister an amount.
func (p *performer) set(rest string) {
	name, amount := cut(rest)
	var balance cycles.Amount
	if err := balance.UnmarshalText([]byte(strings.ReplaceAll(amount, "_", ""))); err != nil {
		p.t.Fatal(err)
	}
	if refusal := p.Apply(replica.SetCycles{Canister: p.ID(name), Amount: balance}).Refusal; refusal != nil {
		p.say("refused %s: %s", refusal.Kind, refusal.Text)
	}
}
