package campaign_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
)

func TestAQueryThatItsCanisterDoesNotHaveIsAnErrorAndNoFinding(t *testing.T) {
	one := property.Constant{Value: candid.NatOf(1)}
	for want, state := range map[string]func(c *campaign.Config, q harness.Query){
		"invariant Q is 1: canister bank has no query total; it has balance": func(c *campaign.Config, q harness.Query) {
			c.Properties = append(c.Properties, &property.Invariant{Title: "Q is 1", Left: property.Result{Query: q}, Relation: "==", Right: one})
		},
		"invariant 1 is Q: canister bank has no query total; it has balance": func(c *campaign.Config, q harness.Query) {
			good := q
			good.Method = "balance"
			c.Properties = append(c.Properties, &property.Invariant{Title: "1 is Q", Left: property.Result{Query: good}, Right: property.Result{Query: q}, Relation: "=="})
		},
		"sometimes Q: canister bank has no query total; it has balance": func(c *campaign.Config, q harness.Query) {
			c.Sometimes = append(c.Sometimes, property.Sometimes{Title: "Q", Condition: property.Invariant{Left: property.Result{Query: q}, Right: one}})
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

func TestAMistypedMethodIsAnErrorWithTheOneThatWasMeant(t *testing.T) {
	for method, want := range map[string]string{
		"withdrwa": "operation bank.withdraw(100): canister bank has no method withdrwa; did you mean withdraw?",
		"pay":      "operation bank.withdraw(100): canister bank has no method pay; it has balance, deposit, open, withdraw",
	} {
		c := theft(t, "bank", 2)
		c.Setup.Operations[1].Message.Method = method
		if _, err := campaign.Run(c); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAMethodThatIsNotAQueryIsAnErrorThatSaysSo(t *testing.T) {
	for method, want := range map[string]string{
		"withdraw": "observe bank withdraw: method withdraw of canister bank is an update method, and not a query",
		"balanec":  "observe bank balanec: canister bank has no query balanec; did you mean balance?",
	} {
		c := theft(t, "bank", 2)
		c.Observe = []harness.Query{{Canister: c.Setup.Operations[0].Message.Receiver, Method: method}}
		if _, err := campaign.Run(c); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAMistypedMethodBeforeTheOperationsIsAnErrorWithTheOneThatWasMeant(t *testing.T) {
	c := theft(t, "bank", 1)
	before := c.Setup.Operations[0]
	before.Message.Method = "opne"
	_, _, err := harness.Prepare(c.Setup.Base, 0, []harness.Operation{before})
	if err == nil || !strings.Contains(err.Error(), "; did you mean open?") {
		t.Errorf("%v", err)
	}
}

func TestArgumentsOfQueriesHaveTheTypesOfTheInterface(t *testing.T) {
	c := theft(t, "bank", 1)
	bank := c.Setup.Operations[0].Message.Receiver
	arg, err := c.Argument(bank, "deposit", "(100)")
	if want := "DIDL\x00\x01\x7d\x64"; err != nil || string(arg) != want { // nat, not int
		t.Errorf("%x, %v, want %x", arg, err, want)
	}
	if _, err := c.Argument(bank, "deposit", `("100")`); err == nil || !strings.Contains(err.Error(), "deposit takes (amount : nat)") {
		t.Errorf("an argument of another type: %v", err)
	}
}
