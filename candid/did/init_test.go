package did

import (
	"strings"
	"testing"
)

func TestArgumentsOfTheInstallationMayStandBesideTheFile(t *testing.T) {
	const service = "type Node = record { name : text; next : opt Node };\nservice : {\n  about : () -> (Node) query; // first\n}\n"
	for _, c := range []struct{ args, text, want, constructor string }{
		{"(ledger: principal, parent: opt Node)", `(principal "aaaaa-aa", null)`, "(ledger : principal, parent : opt Node)", "service : (ledger : principal, parent : opt Node) -> {"},
		{"type Node = record { name : text; next : opt Node }; (Node)", `(record { name = "x"; next = null })`, "(Node)", "service : (Node) -> {"},
		{"type Limit = nat;\n(Limit)", "(7)", "(Limit)", "type Limit = nat;\ntype Node"},
		{"()", "()", "()", service},
	} {
		f, err := ParseWithInit(service, c.args)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		if _, err := f.EncodeInit(c.text); err != nil {
			t.Errorf("%s: %s: %v", c.args, c.text, err)
		}
		if got := f.InitText(); got != c.want {
			t.Errorf("%s: the arguments are %s, want %s", c.args, got, c.want)
		}
		text := f.Constructor(service)
		if !strings.Contains(text, c.constructor) || !strings.Contains(text, "// first") {
			t.Errorf("%s: the file is\n%s", c.args, text)
		}
		if whole, err := Parse(text); err != nil || (len(f.init) > 0 && whole.InitText() != c.want) {
			t.Errorf("%s: the file with its arguments: %v\n%s", c.args, err, text)
		}
	}
}

func TestAConstructorKeepsItsOwnArguments(t *testing.T) {
	f, err := ParseWithInit("service : (nat) -> {}", "(text)")
	if err != nil || f.InitText() != "(nat)" || f.Constructor("as it was") != "as it was" {
		t.Errorf("%v (%v)", f, err)
	}
	if f, err = ParseWithInit("type A = nat;", "(text)"); err != nil || f.InitText() != "" {
		t.Errorf("a file without a service: %v (%v)", f, err)
	}
}

func TestArgumentsBesideTheFileThatMakeNoSenseAreRefusedWithAReason(t *testing.T) {
	for args, want := range map[string]string{
		"(Missing)":            "Missing is not defined",
		"(nat) nat":            "the arguments it is installed with:",
		"":                     "the arguments it is installed with:",
		"type A = text; (A)":   "A is defined twice",
		"type B = vec C; (nat": "the arguments it is installed with:",
	} {
		if _, err := ParseWithInit("type A = nat; service : {}", args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}
