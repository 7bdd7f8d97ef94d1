package canister_test

import (
	"testing"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

func assemble(t *testing.T, text string) []byte {
	t.Helper()
	b, err := wat.Assemble(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
