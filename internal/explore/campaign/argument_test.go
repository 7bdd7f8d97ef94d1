package campaign

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

func TestArgumentsInFilesAreTextWithTheNamesOfCanisters(t *testing.T) {
	vault, other, user := principal.Canister(1), principal.Canister(2), principal.SelfAuthenticating([]byte{1})
	named := func(vault principal.Principal) *Config {
		return &Config{Setup: harness.Setup{Name: func(id principal.Principal) string {
			if id == vault {
				return "vault"
			}
			return ""
		}}}
	}
	find := func(vault principal.Principal) func(string) (principal.Principal, bool) {
		return func(name string) (principal.Principal, bool) { return vault, name == "vault" }
	}
	encode := func(values ...candid.Value) []byte {
		arg, err := candid.EncodeValues(values...)
		if err != nil {
			t.Fatal(err)
		}
		return arg
	}
	for want, arg := range map[string]func(vault principal.Principal) []byte{
		"()":                       func(principal.Principal) []byte { return encode() },
		"(5 : nat8)":               func(principal.Principal) []byte { return encode(candid.Nat8(5)) },
		`(principal "${vault}")`:   func(vault principal.Principal) []byte { return encode(candid.Principal(vault)) },
		`("to ${vault}: \"all\"")`: func(vault principal.Principal) []byte { return encode(candid.Text("to " + vault.String() + `: "all"`)) },
		`("$${vault}")`:            func(principal.Principal) []byte { return encode(candid.Text("${vault}")) },
		`(principal "aaaaa-aa")`:   func(principal.Principal) []byte { return encode(candid.Principal(principal.Management)) },
		`(principal "` + user.String() + `")`: func(principal.Principal) []byte {
			return encode(candid.Principal(user))
		},
	} {
		got := named(vault).fileArgument(arg(vault))
		if got != want {
			t.Errorf("the argument is %s, want %s", got, want)
		}
		if again, err := readArgument(got, find(other)); err != nil || !bytes.Equal(again, arg(other)) {
			t.Errorf("%s in a network with other ids is %x (%v), want %x", got, again, err, arg(other))
		}
	}
}

func TestArgumentsWithoutAnEqualTextAreInHex(t *testing.T) {
	c := &Config{}
	for name, arg := range map[string][]byte{
		"no Candid":       []byte("hello"),
		"an empty option": {'D', 'I', 'D', 'L', 1, 0x6e, 0x7d, 1, 0, 0},
	} {
		got := c.fileArgument(arg)
		if got != hex.EncodeToString(arg) {
			t.Errorf("%s is %s", name, got)
		}
		if again, err := readArgument(got, nil); err != nil || !bytes.Equal(again, arg) {
			t.Errorf("%s is read as %x, %v", name, again, err)
		}
	}
}

func TestAnArgumentThatCannotBeReadSaysWhy(t *testing.T) {
	none := func(string) (principal.Principal, bool) { return principal.Principal{}, false }
	for text, want := range map[string]string{
		`("${safe}")`: `${safe}: the schedule is of another network: it is about canister "safe", which this network does not have: deploy the project first; for a literal ${ write $${`,
		"hello":       `expected Candid text in parentheses, or hex, got "hello"`,
	} {
		if _, err := readArgument(text, none); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
