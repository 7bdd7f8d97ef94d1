//go:build clients

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// Both layouts of a network: canister signatures with the delegation of a subnet,
// and without.
func TestTheJavaScriptAgentSpeaksForUsersOthersVouchFor(t *testing.T) {
	source, err := os.ReadFile("signer.wat")
	if err != nil {
		t.Fatal(err)
	}
	signer := filepath.Join(t.TempDir(), "signer.wasm")
	if err := os.WriteFile(signer, wat.MustAssemble(string(source)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, subnets := range []string{"nns,application", "application"} {
		t.Run(subnets, func(t *testing.T) {
			runJavaScript(t, subnets, "identities.test.mjs", 7, "CANISTERD_SIGNER="+signer)
		})
	}
}
