package output

import (
	"strings"
	"testing"
)

func TestFiltersLookIntoResults(t *testing.T) {
	const result = `{"cycles":340282366920938463463374607431768211455,"names":["a","b"],"at":1.5}`
	for want, jq := range map[string]string{
		"340282366920938463463374607431768211455\n": ".cycles",
		"a\nb\n": ".names[]", "[\"a\",\"b\"]\n": ".names", "2.5\n": ".at + 1",
		"a-b has 340282366920938463463374607431768211455\n": `"\(.names | join("-")) has \(.cycles)"`,
	} {
		var out strings.Builder
		f := Filter{jq: jq}
		if given, err := f.Read(); err != nil || !given {
			t.Errorf("%s: read %t, %v", jq, given, err)
		} else if err := f.Apply(&out, []byte(result)); err != nil || out.String() != want {
			t.Errorf("%s printed %q (%v), want %q", jq, &out, err, want)
		}
	}
	for _, jq := range []string{".[", "nothing_such"} {
		if _, err := (&Filter{jq: jq}).Read(); err == nil || !strings.HasPrefix(err.Error(), "--jq: ") {
			t.Errorf("%s: %v", jq, err)
		}
	}
	if given, err := new(Filter).Read(); given || err != nil {
		t.Errorf("without a filter: %t, %v", given, err)
	}
}

func TestAFilterThatFindsNothingIsAnErrorWithTheKeys(t *testing.T) {
	for filter, want := range map[string]string{
		".cycels": `--jq: .cycels is null in this result, which has cycles, missing; write (.cycels // "") for what may be missing`,
		".cycles": "", "(.cycels // 7)": "", ".cycles, .missing": "", "empty": "",
	} {
		var out strings.Builder
		f := Filter{jq: filter}
		_, err := f.Read()
		if err == nil {
			err = f.Apply(&out, []byte(`{"cycles":5,"missing":null}`))
		}
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v, want %q", filter, err, want)
		}
	}
}
