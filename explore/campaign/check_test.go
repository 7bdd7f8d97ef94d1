package campaign_test

import (
	"testing"

	"github.com/canisterd/canisterd/explore/campaign"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/property"
)

func TestAQueryThatItsCanisterDoesNotHaveIsAnErrorAndNoFinding(t *testing.T) {
	for want, state := range map[string]func(c *campaign.Config, q harness.Query){
		"invariant Q is 1: canister bank has no query total; it has balance": func(c *campaign.Config, q harness.Query) {
			c.Properties = append(c.Properties, &property.Invariant{Title: "Q is 1", Left: q, Relation: "=="})
		},
		"invariant 1 is Q: canister bank has no query total; it has balance": func(c *campaign.Config, q harness.Query) {
			good := q
			good.Method = "balance"
			c.Properties = append(c.Properties, &property.Invariant{Title: "1 is Q", Left: good, Right: &q, Relation: "=="})
		},
		"sometimes Q: canister bank has no query total; it has balance": func(c *campaign.Config, q harness.Query) {
			c.Sometimes = append(c.Sometimes, property.Sometimes{Title: "Q", Condition: property.Invariant{Left: q}})
		},
		"maximize Q: canister bank has no query total; it has balance": func(c *campaign.Config, q harness.Query) {
			c.Maximize = append(c.Maximize, property.Maximize{Title: "Q", Query: q})
		},
		"observe bank total: canister bank has no query total; it has balance": func(c *campaign.Config, q harness.Query) {
			c.Observe = append(c.Observe, q)
		},
	} {
		c := theft(t, "bank", 2)
		state(c, harness.Query{Canister: c.Setup.Operations[0].Message.Receiver, Method: "total"})
		if _, err := campaign.Run(c); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
