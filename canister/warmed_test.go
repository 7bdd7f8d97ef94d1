package canister

import (
	"bytes"
	"testing"
)

func TestAWarmedModuleIsHashedOnce(t *testing.T) {
	var w warmed
	module, hash := []byte("module"), [32]byte{1}
	w.put(module, hash)
	for what, other := range map[string][]byte{"equal bytes": bytes.Clone(module), "a part": module[:3], "no bytes": nil} {
		if got, ok := w.take(other); ok {
			t.Errorf("%s have the hash %x of other memory", what, got)
		}
	}
	if got, ok := w.take(module); !ok || got != hash {
		t.Errorf("the hash is %x, known: %t", got, ok)
	}
	if _, ok := w.take(module); ok || w.last.Load() != nil {
		t.Error("the hash of a module that was taken is still known")
	}
}
