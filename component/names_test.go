package component

import (
	"strings"
	"testing"
)

func TestNamesAreReadByTheGrammarOfTheSpecification(t *testing.T) {
	for name, fault := range map[string]string{
		"a":                              "",
		"a1-2-3":                         "",
		"m1x3d-4CR0NYMS":                 "",
		"A-b":                            "",
		"1-2":                            "`1-2` is not in kebab case",
		"aB":                             "`aB` is not in kebab case",
		"a--b":                           "`a--b` is not in kebab case",
		"é":                              "`é` is not in kebab case",
		"[constructor]a":                 "",
		"[method]a.b":                    "",
		"[static]a.b-C":                  "",
		"[method]a":                      "failed to find `.` character",
		"[other]a":                       "is not in kebab case",
		"wasi:io/streams":                "",
		"wasi:io/streams@0.2.10":         "",
		"wasi:io/streams@0.2.0-rc.1+b.2": "",
		"wasi:io/streams@0.2":            "unexpected end of input while parsing minor version number",
		"wasi:io/streams@01.2.3":         "invalid leading zero in major version number",
		"wasi:io/streams@1.2.3-01":       "invalid leading zero in pre-release identifier",
		"wasi:io/streams@1.2.3-a_b":      "unexpected character '_' in pre-release identifier",
		"wasi:io":                        "expected `/` after package name",
		"wasi:IO/streams":                "`IO` is not in kebab case",
	} {
		_, err := parseName(name)
		if fault == "" && err != nil || fault != "" && (err == nil || !strings.Contains(err.Error(), fault)) {
			t.Errorf("%s: %v, want %q", name, err, fault)
		}
	}
}

// The sets are those of the specification's explainer.
func TestNamesAreStronglyUniqueAsTheSpecificationSays(t *testing.T) {
	taken := map[string]bool{}
	for _, name := range []string{"foo", "foo-bar", "[constructor]foo", "[method]foo.bar", "[static]foo.baz", "foo:bar/baz"} {
		if taken[canonicalName(name)] {
			t.Errorf("%s conflicts with a name before", name)
		}
		taken[canonicalName(name)] = true
	}
	for _, name := range []string{"foo", "FOO", "foo-BAR", "[constructor]FOO", "[method]foo.BAR", "[static]foo.bar", "[method]foo.baz", "[method]foo.foo", "[static]foo-BAR.FOO-bar", "foo:bar/BAZ"} {
		if !taken[canonicalName(name)] {
			t.Errorf("%s conflicts with no name", name)
		}
	}
}

func TestTheCanonicalPartOfAVersionIsWhatTheSpecificationSays(t *testing.T) {
	for version, want := range map[string]bool{
		"1": true, "12": true, "0.2": true, "0.0.1": true, "0.0.0": true,
		"": false, "0": false, "0.0": false, "01": false, "1.2": false, "0.2.1": false, "0.0.01": false, "0.0.0.0": false, "a": false,
	} {
		if got := isCanonicalVersion(version); got != want {
			t.Errorf("%q: %t, want %t", version, got, want)
		}
	}
}
