package replica_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"testing"

	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// testdata/archives has a file of each version that was ever written, NAME.VERSION. What
// they come to is what their writer said. Checkpoints up to version 6 were such files too.
func TestFilesOfOlderVersionsAreRead(t *testing.T) {
	puppets := replicatest.NewPuppets(replicatest.First(1))
	for _, c := range []struct {
		name   string
		config replica.Config
		root   string
	}{
		{"puppets.1", puppets.Config(), "f23eaca5850d5e8e32eb819e4a8d6ed2317b12b0c871208845573e17818ed79b"},
		{"canister.1", replica.Config{Engine: canistertest.NewEngine(t)}, "7f3e84543e8ec1e680b7261c6058d0a9edc752821e01947aa447ebeac93c2580"},
	} {
		content, err := os.ReadFile("testdata/archives/" + c.name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := replica.Import(bytes.NewReader(content), c.config)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		checkpoint, err := replica.Recover(bytes.NewReader(content), newPageStore(), c.config)
		if err != nil {
			t.Fatalf("%s as a checkpoint: %v", c.name, err)
		}
		if one, two := n.RootHash(), checkpoint.RootHash(); one != two {
			t.Errorf("%s as a checkpoint comes to %x, want %x", c.name, two, one)
		}
		checkpoint = recovered(t, checkpoint, c.config, newPageStore()) // in the present version
		checkpoint.Close()
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
