package gateway

import (
	"net/http"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/introspect"
)

// publishing is a network whose canister returns an interface by its query; "" for none.
func publishing(t *testing.T, text string) *fakeNetwork {
	return &fakeNetwork{name: "default", call: func(method string, _ []byte) []byte {
		if method != interfaceQuery {
			t.Errorf("the page calls %s", method)
		}
		if text == "" {
			return nil
		}
		reply, err := candid.Marshal(text)
		if err != nil {
			t.Error(err)
		}
		return reply
	}}
}

func TestThePageOfACanisterShowsItsInterfaceAndHowToCallIt(t *testing.T) {
	at := "http://127.0.0.1:4943" + canisterPath + shop.String()
	const command = "canisterd --url http://127.0.0.1:4943 -i default canister "
	for text, wants := range map[string][]string{
		"service : { greet : (text) -> (text); count : () -> (nat) query; \"a b\" : () -> () }": {
			"<pre>service : { greet : (text) -&gt; (text); ", command + "call " + shop.String() + " greet ARGUMENTS\n",
			command + "query " + shop.String() + " count\n", command + "call " + shop.String() + " &#39;a b&#39;\n",
		},
		"<not an interface>": {"<pre>&lt;not an interface&gt;</pre>", command + "call " + shop.String() + " METHOD ARGUMENTS\n"},
		"":                   {"It publishes no Candid interface", command + "call " + shop.String() + " METHOD ARGUMENTS\n"},
	} {
		page := get(New(publishing(t, text), Config{Control: func() bool { return true }}), http.MethodGet, at).Body.String()
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("the page of a canister with the interface %q does not show %q:\n%s", text, want, page)
			}
		}
	}
	if page := get(New(publishing(t, ""), Config{}), http.MethodGet, at).Body.String(); strings.Contains(page, "canisterd --url") {
		t.Errorf("commands are shown that reach no control API:\n%s", page)
	}
}

func TestNumbersOnPagesAreGrouped(t *testing.T) {
	for digits, want := range map[string]string{"0": "0", "999": "999", "1000": "1_000", "100000000000000": "100_000_000_000_000"} {
		if got := grouped(digits); got != want {
			t.Errorf("%s is shown as %s, want %s", digits, got, want)
		}
	}
}

func TestCanistersHaveTheNamesThatTheirEnvironmentGivesThem(t *testing.T) {
	for _, row := range []struct {
		variable, value, name string
	}{
		{"PUBLIC_CANISTER_ID:shop", shop.String(), "shop"},
		{"PUBLIC_CANISTER_ID:ledger", subnet.String(), ""},
		{"OTHER:shop", shop.String(), ""},
	} {
		r := introspect.CanisterReport{ID: shop, Balance: cycles.Of(3_000_000)}
		r.Settings.SetEnvironment([]canister.Variable{{Name: row.variable, Value: row.value}})
		if c := Describe([]introspect.CanisterReport{r})[0]; c.Name != row.name || c.Cycles != "3_000_000" {
			t.Errorf("with %s = %s: the name is %q, the cycles are %s", row.variable, row.value, c.Name, c.Cycles)
		}
	}
}
