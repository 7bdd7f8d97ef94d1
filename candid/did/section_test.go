package did

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
)

func TestASectionIsFoundInAModule(t *testing.T) {
	module := canistertest.Fixture("counter")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(module); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, module := range map[string][]byte{"as it is": module, "packed": packed.Bytes()} {
		if text, ok := Section(module, "candid:service", 100<<20); !ok || !bytes.Contains([]byte(text), []byte("inc: () -> (nat)")) {
			t.Errorf("%s: %q", name, text)
		}
		if _, ok := Section(module, "candid", 100<<20); ok {
			t.Errorf("%s has a section it has not", name)
		}
	}
}

func FuzzSection(f *testing.F) {
	f.Add(canistertest.Fixture("counter"))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x00\x80\x80\x80\x80\x80"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, module []byte) {
		if text, ok := Section(module, "candid:service", 100<<20); ok && len(text) > len(unpacked(module, 100<<20)) {
			t.Errorf("a section of %d bytes", len(text))
		}
	})
}

func TestAModuleSaysItsInterfaceAndItsArguments(t *testing.T) {
	f, err := FromModule(canistertest.Fixture("class/branch"), 100<<20)
	if err != nil || len(f.init) != 2 || len(f.Methods()) != 1 {
		t.Errorf("an actor class: %v (%v)", f, err)
	}
	if _, err := FromModule([]byte("\x00asm\x01\x00\x00\x00"), 100<<20); err != ErrNoInterface {
		t.Errorf("a module that says nothing: %v", err)
	}
}
