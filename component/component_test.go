package component

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// The programs are made of the texts beside them by testdata/make.sh.
func programs(t testing.TB, folder string) map[string][]byte {
	files, err := filepath.Glob("testdata/" + folder + "/*.wasm")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs in testdata/%s: %v", folder, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		all[strings.TrimSuffix(filepath.Base(file), ".wasm")], err = os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestValidProgramsAreAccepted(t *testing.T) {
	for name, binary := range programs(t, "valid") {
		if err := Validate(t.Context(), binary); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInvalidProgramsAreRefusedWithReasonAndOffset(t *testing.T) {
	for name, binary := range programs(t, "refused") {
		err := Validate(t.Context(), binary)
		if invalid := new(Invalid); !errors.As(err, &invalid) || invalid.Malformed {
			t.Errorf("%s: %v, want an invalid component", name, err)
			continue
		}
		golden.Compare(t, "testdata/refused/"+name+".txt", err.Error()+"\n")
	}
}

// A component that ends early, or has another byte somewhere, is refused or valid; the reader and the validator do not fail
// otherwise, and the offset is in the component. A component of more than 4 KiB is damaged at every 29th byte: most of it is
// the code of a core module, which is the engine's to read.
func TestDamagedProgramsAreRefusedWithAnOffsetInThem(t *testing.T) {
	for name, binary := range programs(t, "valid") {
		step := 1
		if len(binary) > 4<<10 {
			step = 29
		}
		for end := 0; end < len(binary); end += step {
			err := checkWithoutEngine(string(binary[:end]))
			invalid := new(Invalid)
			if err != nil && (!errors.As(err, &invalid) || invalid.Offset > end) {
				t.Errorf("%s until byte %d: %v", name, end, err)
			}
			if err == nil && end < len(componentPreamble) {
				t.Errorf("%s until byte %d: accepted", name, end)
			}
		}
		damaged := make([]byte, len(binary))
		for at := 0; at < len(binary); at += step {
			for _, bit := range []byte{0x01, 0x10, 0x80} {
				copy(damaged, binary)
				damaged[at] ^= bit
				invalid := new(Invalid)
				if err := checkWithoutEngine(string(damaged)); err != nil && (!errors.As(err, &invalid) || invalid.Offset > len(binary)) {
					t.Errorf("%s with byte %d changed: %v", name, at, err)
				}
			}
		}
	}
}

func TestWhatIsNotSupportedIsRefusedByItsName(t *testing.T) {
	for name, test := range map[string]struct{ binary, reason string }{
		"a core module":          {emptyCore, "expected a version header for a component, found one of a core module"},
		"a start function":       {build(section(sectionStart, "\x00\x00\x00")), "start definitions are not supported"},
		"a value":                {build(section(sectionValue, "\x00")), "value definitions are not supported"},
		"an imported value":      {build(section(sectionImport, vector("\x00"+text("v")+"\x02\x01\x73"))), "values are not supported as imports and exports"},
		"a resource of 64 bits":  {build(section(sectionType, vector("\x3f\x7e\x00"))), "resources can only be represented by `i32`"},
		"a nested namespace":     {build(section(sectionType, vector("\x73")), section(sectionExport, vector("\x00"+text("a:b:c/d")+"\x03\x00\x00"))), "expected `/` after package name"},
		"too long a section":     {build(section(sectionType, vector("\x73")+"\x73")), "unexpected content in a section: it is 1 bytes too long"},
		"a list of no elements":  {build(section(sectionType, vector("\x67\x7d\x00"))), "must have more than zero elements"},
		"a map with another key": {build(section(sectionType, vector("\x63\x76\x73"))), "map key type must be"},
		"a stream of borrows":    {build(section(sectionType, vector("\x3f\x7f\x00", "\x68\x00", "\x66\x01\x01"))), "cannot contain a `borrow` type"},
		"an async synchronous":   {build(section(sectionType, vector("\x40\x00\x01\x00")), section(sectionImport, vector("\x00"+text("f")+"\x01\x00")), section(sectionCanon, vector("\x01\x00\x00\x01\x06"))), "requires an async function type"},
	} {
		if err := checkWithoutEngine(test.binary); err == nil || !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%s: %v, want %q", name, err, test.reason)
		}
	}
}
