package coverage_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/coverage"
)

// named is a canister with a line of a source, a function and a kind, all with a name.
func named(name string) *coverage.Summary {
	r := &coverage.Report{Modules: []coverage.Module{{Name: name, Functions: []coverage.Function{
		{Name: name, Index: 1, Kind: name, Blocks: []coverage.Block{{10, 20, true}}},
	}}}}
	return coverage.Summarize(r, coverage.Options{})
}

func FuzzNamesStayInTheirPlace(f *testing.F) {
	for _, name := range []string{"", "bank", hostile().Name, "1,a", "a,b", "\n", "\r\n", "\u2028", "]]>", "<!--", "\xff", "银行"} {
		f.Add(name)
	}
	tag := regexp.MustCompile(`<[^>]*>`)
	f.Fuzz(func(t *testing.T, name string) {
		plain, s := named("bank"), named(name)
		if got, want := strings.Count(written(t, s.WriteText), "\n"), 2; got != want {
			t.Errorf("the table has %d lines, want %d", got, want)
		}
		lcov := strings.Split(written(t, s.WriteLCOV), "\n")
		for i, line := range strings.Split(written(t, plain.WriteLCOV), "\n") {
			key, _, _ := strings.Cut(line, ":")
			if i >= len(lcov) || !strings.HasPrefix(lcov[i], key) {
				t.Fatalf("line %d of lcov is not %s: %q", i, key, lcov)
			}
		}
		elements := func(s *coverage.Summary) (n int) {
			for d := xml.NewDecoder(strings.NewReader(written(t, s.WriteCobertura))); ; n++ {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					return n
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
		if got, want := elements(s), elements(plain); got != want {
			t.Errorf("Cobertura has %d tokens, want %d", got, want)
		}
		tags := func(s *coverage.Summary) string {
			_, body, _ := strings.Cut(written(t, s.WritePage), "<body>")
			return strings.ReplaceAll(strings.Join(tag.FindAllString(body, -1), ""), `<span class="dim"></span>`, "")
		}
		if got, want := tags(s), tags(plain); name != "" && got != want {
			t.Errorf("the page has tags %s, want %s", got, want)
		}
	})
}

func TestAPageShowsOnlySourcesThatFitTheModule(t *testing.T) {
	show := func(source func(string) ([]byte, bool)) string {
		s := coverage.Summarize(report(t, summer(t)), coverage.Options{Source: source})
		return written(t, s.WritePage)
	}
	for _, c := range []struct {
		source func(string) ([]byte, bool)
		want   string
	}{
		{nil, "The source is not at hand"},
		{func(string) ([]byte, bool) { return nil, false }, "The source is not at hand"},
		{func(string) ([]byte, bool) { return []byte("one line\n"), true }, "The source at hand has 1 lines"},
	} {
		page := show(c.source)
		if !strings.Contains(page, c.want) || !strings.Contains(page, "<td>3–4, 6–14</td>") || !strings.Contains(page, "<td>5</td>") {
			t.Errorf("without its sources the page is\n%s", page)
		}
	}
	page := show(func(string) ([]byte, bool) {
		return []byte("a</td>\u202e\x00\tb\xff\r\n" + strings.Repeat("\n", 20)), true
	})
	if want := "<td>a&lt;/td&gt;\\u202e\\x00\tb�</td>"; !strings.Contains(page, want) {
		t.Errorf("the page has no %s:\n%s", want, page)
	}
}
