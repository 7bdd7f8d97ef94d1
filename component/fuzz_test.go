package component

import (
	"errors"
	"testing"
)

// Bytes are a component or are refused with a fault whose offset is in them, twice the same.
func FuzzComponentsAreAcceptedOrRefused(f *testing.F) {
	for _, folder := range []string{"valid", "refused"} {
		for _, binary := range programs(f, folder) {
			f.Add(binary)
		}
	}
	f.Fuzz(func(t *testing.T, binary []byte) {
		verdict := func() error {
			_, _, err := check(binary, func(module []byte) error {
				forEngine(module)
				return nil
			})
			return err
		}
		first, second := verdict(), verdict()
		if (first == nil) != (second == nil) || first != nil && first.Error() != second.Error() {
			t.Fatalf("%v, then %v", first, second)
		}
		if invalid := new(Invalid); first != nil && (!errors.As(first, &invalid) || invalid.Offset > len(binary)) {
			t.Fatal(first)
		}
	})
}

// The canonical form of a label is a label, and its own.
func FuzzLabelsHaveACanonicalForm(f *testing.F) {
	for _, name := range []string{"a", "A-b", "[method]foo.bar", "[static]a.a", "[constructor]x", "wasi:io/streams@0.2.0-rc+x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		parsed, err := parseName(name)
		if err != nil || parsed.kind != nameLabel {
			return
		}
		canonical := canonicalName(name)
		if _, err := parseName(canonical); err != nil {
			t.Fatalf("%s is accepted, its canonical form %s is not: %v", name, canonical, err)
		}
		if again := canonicalName(canonical); again != canonical {
			t.Fatalf("the canonical form of %s is %s, and of that %s", name, canonical, again)
		}
	})
}
