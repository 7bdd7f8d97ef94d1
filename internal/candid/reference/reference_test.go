package reference_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
)

func principalOf(name string) (string, error) {
	if name == "vault" {
		return principal.Canister(1).String(), nil
	}
	return "", errors.New("no such canister")
}

func nameOf(id principal.Principal) string {
	if id == principal.Canister(1) {
		return "vault"
	}
	return ""
}

func TestReferencesAreReadAndWrittenAsPrincipals(t *testing.T) {
	id, other := principal.Canister(1).String(), principal.Canister(2).String()
	for text, want := range map[string]string{
		"":                                "",
		`(principal "${vault}", 100)`:     `(principal "` + id + `", 100)`,
		"${vault}${vault} " + other:       id + id + " " + other,
		"aaaaa-aa, " + other + ", ${vaul": "aaaaa-aa, " + other + ", ${vaul",
		"2vxsx-fae":                       "2vxsx-fae",
	} {
		resolved, err := reference.Resolve(text, principalOf)
		if err != nil || resolved != want {
			t.Errorf("%s is read as %s, %v, want %s", text, resolved, err, want)
		}
		if written := reference.Write(want, nameOf); written != text && text != "${vault}${vault} "+other {
			t.Errorf("%s is written as %s, want %s", want, written, text)
		}
	}
}

func TestEscapedCharactersAreNoReference(t *testing.T) {
	for _, text := range []string{"${vault}", "$${vault}", "$$${vault}", "${", "$$", "${bank} ${"} {
		escaped := reference.Escape(text)
		if again, err := reference.Resolve(escaped, principalOf); err != nil || again != text {
			t.Errorf("%s is read as %s, %v, want %s", escaped, again, err, text)
		}
		if names := reference.Names(escaped); len(names) > 0 {
			t.Errorf("%s has the names %v", escaped, names)
		}
	}
}

func TestNamesOfATextAreInItsOrder(t *testing.T) {
	if names := reference.Names(`("${vault}", $${bank}, ${alice}, ${vault})`); !slices.Equal(names, []string{"vault", "alice", "vault"}) {
		t.Errorf("the names are %v", names)
	}
}

func TestAnUnknownNameIsNamedWithTheWayToEscapeIt(t *testing.T) {
	const want = "${valt}: no such canister; for a literal ${ write $${"
	if _, err := reference.Resolve("${vault} ${valt} ${bnk}", principalOf); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestANameThatCannotBeReadAgainIsNotWritten(t *testing.T) {
	id := principal.Canister(1).String()
	if written := reference.Write(id, func(principal.Principal) string { return "a}b" }); written != id {
		t.Errorf("%s is written as %s", id, written)
	}
}

func TestReferencesToSomeNamesAreReplaced(t *testing.T) {
	if text := reference.Replace("${vault} ${alice} $${alice} ${", map[string]string{"alice": "aaaaa-aa"}); text != "${vault} aaaaa-aa $${alice} ${" {
		t.Errorf("the text is %s", text)
	}
}

func TestPrincipalsAreShownByTheirNames(t *testing.T) {
	id, other := principal.Canister(1).String(), principal.Canister(2).String()
	if text := reference.Show("pay of "+id+", from "+other, nameOf); text != "pay of vault, from "+other {
		t.Errorf("the text is %s", text)
	}
}
