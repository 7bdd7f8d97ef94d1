package output

import (
	"strings"
	"testing"
)

func TestFiltersLookIntoResults(t *testing.T) {
	const result = `{"cycles":340282366920938463463374607431768211455,"names":["a","b"],"at":1.5}`
	for want, f := range map[string]Filter{
		"340282366920938463463374607431768211455\n": {jq: ".cycles"},
		"a\nb\n": {jq: ".names[]"}, "[\"a\",\"b\"]\n": {jq: ".names"}, "2.5\n": {jq: ".at + 1"},
		"a-b [\"a\",\"b\"]\n": {template: `{{join "-" .names}} {{json .names}}`},
	} {
		var out strings.Builder
		if _, err := f.Read(); err != nil {
			t.Errorf("%s%s: %v", f.jq, f.template, err)
		} else if err := f.Apply(&out, []byte(result)); err != nil || out.String() != want {
			t.Errorf("%s%s printed %q (%v), want %q", f.jq, f.template, &out, err, want)
		}
	}
	for _, f := range []Filter{{jq: "."}, {jq: ".["}, {template: "{{"}, {jq: "nothing_such"}} {
		if f.jq == "." {
			f.template = "x"
		}
		if _, err := f.Read(); err == nil || !strings.Contains(err.Error(), "--") {
			t.Errorf("%s%s: %v", f.jq, f.template, err)
		}
	}
}
