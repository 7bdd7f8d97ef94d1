package canister

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

func TestAWarmedModuleIsHashedOnce(t *testing.T) {
	var w warmed
	module := []byte("module")
	if hash := w.add(module); hash != sha256.Sum256(module) {
		t.Errorf("the hash is %x", hash)
	}
	w.last.Load().hash = [32]byte{1} // shows that it is not computed again
	for what, other := range map[string][]byte{"equal bytes": bytes.Clone(module), "a part": module[:3], "no bytes": nil} {
		if hash := w.take(other); hash != sha256.Sum256(other) {
			t.Errorf("the hash of %s is %x", what, hash)
		}
	}
	if hash := w.take(module); hash != [32]byte{1} {
		t.Errorf("the hash is %x, which is not the one computed before", hash)
	}
	if hash := w.take(module); hash != sha256.Sum256(module) || w.last.Load() != nil {
		t.Errorf("a module that was taken has the hash %x", hash)
	}
}
