package did

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// officialAsserts is the number of assertions in the official suite at the
// version the data folder holds. Four more lines begin with "assert" and stand
// in a comment.
const officialAsserts = 467

// dataFolder is the folder of public test suites; the test is skipped where it
// is missing.
func dataFolder(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CANISTERD_DATA")
	if dir == "" {
		root, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			up := filepath.Dir(root)
			if up == root {
				t.Fatal("no go.mod above the test")
			}
			root = up
		}
		dir = filepath.Join(root, "..", "shared", "data")
	}
	dir = filepath.Join(dir, "candid")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the official Candid suite is not at %s: set CANISTERD_DATA", dir)
	}
	return dir
}

// assertion is one line of a .test.did file.
type assertion struct {
	left, right input
	relation    string // ":", "!:", "==" or "!="
	types       []*candid.Type
	what        string
}

type input struct {
	blob bool
	text string
}

func (in input) read(types []*candid.Type) ([]candid.Value, error) {
	if in.blob {
		return candid.DecodeTypes([]byte(in.text), types)
	}
	return candid.ParseArgsAt(in.text, types)
}

func (a assertion) check() error {
	left, err := a.left.read(a.types)
	if a.relation == "!:" {
		if err == nil {
			return fmt.Errorf("it is read as %s", candid.FormatArgs(left))
		}
		return nil
	}
	if err != nil {
		return err
	}
	if err := reencodes(left, a.types); err != nil {
		return err
	}
	if a.relation == ":" {
		return nil
	}
	right, err := a.right.read(a.types)
	if err != nil {
		return fmt.Errorf("right: %w", err)
	}
	if same(left, right) != (a.relation == "==") {
		return fmt.Errorf("%s %s %s does not hold", candid.FormatArgs(left), a.relation, candid.FormatArgs(right))
	}
	return nil
}

func same(a, b []candid.Value) bool {
	return candid.Equal(candid.Vec(a), candid.Vec(b))
}

// reencodes checks that what was read can be written and read again.
func reencodes(values []candid.Value, types []*candid.Type) error {
	message, err := candid.Encode(values, types)
	if err != nil {
		return err
	}
	again, err := candid.DecodeTypes(message, types)
	if err != nil {
		return fmt.Errorf("written again, %x: %w", message, err)
	}
	if !same(values, again) {
		return errors.New("written and read again it is another value")
	}
	return nil
}

func parseSuite(t *testing.T, text string) []assertion {
	t.Helper()
	p, err := syntax.NewParser(text, candid.MaxTextBytes)
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{file: &File{types: make(map[string]*candid.Type)}}
	if err := b.definitions(&source{parser: p}); err != nil {
		t.Fatal(err)
	}
	if err := b.resolve(); err != nil {
		t.Fatal(err)
	}
	var all []assertion
	for p.Tok.Kind != syntax.EOF {
		a, err := parseAssertion(p, b.file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

func parseAssertion(p *syntax.Parser, file *File) (a assertion, err error) {
	if err = p.Expect("assert"); err != nil {
		return a, err
	}
	if a.left, err = parseInput(p); err != nil {
		return a, err
	}
	for a.relation == "" || p.Is("=") || p.Is(":") {
		a.relation += p.Tok.Text
		if err = p.Advance(); err != nil {
			return a, err
		}
	}
	if a.relation == "==" || a.relation == "!=" {
		if a.right, err = parseInput(p); err != nil {
			return a, err
		}
		if err = p.Expect(":"); err != nil {
			return a, err
		}
	}
	args, err := p.Args()
	if err != nil {
		return a, err
	}
	if a.types, _, err = candid.ArgsFromSyntax(args, file.Type); err != nil {
		return a, err
	}
	if p.Tok.Kind == syntax.Text {
		a.what = p.Tok.Text
		if err = p.Advance(); err != nil {
			return a, err
		}
	}
	return a, p.Expect(";")
}

func parseInput(p *syntax.Parser) (in input, err error) {
	if in.blob, err = p.Accept("blob"); err != nil {
		return in, err
	}
	if p.Tok.Kind != syntax.Text {
		return in, p.Unexpected("a text")
	}
	in.text = p.Tok.Text
	return in, p.Advance()
}

func TestEveryAssertionOfTheOfficialSuiteHolds(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(dataFolder(t), "*.test.did"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range parseSuite(t, string(text)) {
			count++
			if err := a.check(); err != nil {
				t.Errorf("%s, assertion %d (%s), %q %s: %v", filepath.Base(file), i+1, a.what, a.left.text, a.relation, err)
			}
		}
	}
	if count != officialAsserts {
		t.Errorf("%d assertions were found, %d expected", count, officialAsserts)
	}
}
