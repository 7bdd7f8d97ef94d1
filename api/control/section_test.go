package control

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/canisterd/canisterd/canister/canistertest"
)

func TestASectionIsFoundInAModule(t *testing.T) {
	module := canistertest.Fixture("counter")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(module); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, module := range map[string][]byte{"as it is": module, "packed": packed.Bytes()} {
		if text, ok := sectionIn(module, "candid:service"); !ok || !bytes.Contains([]byte(text), []byte("inc: () -> (nat)")) {
			t.Errorf("%s: %q", name, text)
		}
		if _, ok := sectionIn(module, "candid"); ok {
			t.Errorf("%s has a section it has not", name)
		}
	}
}

func FuzzSectionIn(f *testing.F) {
	f.Add(canistertest.Fixture("counter"))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x00\x80\x80\x80\x80\x80"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, module []byte) {
		if text, ok := sectionIn(module, "candid:service"); ok && len(text) > len(unpacked(module)) {
			t.Errorf("a section of %d bytes", len(text))
		}
	})
}
