package polyfill_test

import (
	"os"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

func TestTheLibraryIsItsSource(t *testing.T) {
	text, err := os.ReadFile("polyfill.wat")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := wat.Assemble(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if golden.Rewriting() {
		if err := os.WriteFile("polyfill.wasm", binary, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("polyfill.wasm")
	if err != nil || string(have) != string(binary) {
		t.Errorf("polyfill.wasm is not what polyfill.wat is assembled to (-rewrite writes it): %v", err)
	}
}
