package replica_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// testdata/archives has files that earlier programs wrote, NAME.VERSION: puppets with calls and timers, a canister, the
// network of crowdedStage, and one without a subnet that it had. What they come to is what their writer said. Checkpoints
// up to version 6 were such files too.
func TestFilesOfOlderVersionsAreRead(t *testing.T) {
	puppets, wasm := replicatest.NewPuppets(replicatest.First(1)), replica.Config{Engine: canistertest.NewEngine(t)}
	for _, c := range []struct {
		name       string
		config     replica.Config
		checkpoint bool
		root       string
	}{
		{"puppets.1", puppets.Config(), true, "f23eaca5850d5e8e32eb819e4a8d6ed2317b12b0c871208845573e17818ed79b"},
		{"canister.1", wasm, true, "7f3e84543e8ec1e680b7261c6058d0a9edc752821e01947aa447ebeac93c2580"},
		{"puppets.8", puppets.Config(), false, "ee00c35c1d15bef9ac94372eccf6160740c433c2be977f36791edc1bdd25df18"},
		{"crowded.8", wasm, false, "6963bf631ae14b4c89338c329c0c9582e70870831c0c46457ecf62442663d633"},
		{"deleted.8", wasm, false, "33ee7cd11cdbe23cc949ac903bcf691fd9a2ece176f57b879bc798b8357eb7b7"},
	} {
		content, err := os.ReadFile("testdata/archives/" + c.name)
		if err != nil {
			t.Fatal(err)
		}
		if version := fmt.Sprint(binary.BigEndian.Uint32(content[16:])); !strings.HasSuffix(c.name, "."+version) {
			t.Errorf("%s has version %s", c.name, version)
		}
		n, err := replica.Import(bytes.NewReader(content), c.config)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if c.checkpoint {
			isCheckpoint(t, c.name, content, c.config, n.RootHash())
		}
		if root := n.RootHash(); hex.EncodeToString(root[:]) != c.root {
			t.Errorf("%s comes to %x, want %s", c.name, root, c.root)
		}
		n = exchanged(t, n, c.config) // in the present version
		for range 5 {
			n.Round()
		}
		n.Close()
	}
}

// isCheckpoint makes a network of a file, as a start does of a checkpoint, and writes it in the present version.
func isCheckpoint(t *testing.T, name string, content []byte, config replica.Config, root [32]byte) {
	t.Helper()
	n, err := replica.Recover(bytes.NewReader(content), newPageStore(), config)
	if err != nil {
		t.Fatalf("%s as a checkpoint: %v", name, err)
	}
	if now := n.RootHash(); now != root {
		t.Errorf("%s as a checkpoint comes to %x, want %x", name, now, root)
	}
	recovered(t, n, config, newPageStore()).Close()
}
