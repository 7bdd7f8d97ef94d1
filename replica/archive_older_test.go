package replica_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/canistertest"
)

var writeArchive = flag.Bool("archive", false, "write crowded.VERSION in testdata/archives, for the present version of the format")

// testdata/archives has files that earlier programs wrote, NAME.VERSION: puppets with calls and timers, a canister, the
// network of crowdedStage, and one without a subnet that it had. roots.txt has their state hashes, as their writers saw
// them. The checkpoints of versions without page files were such files too.
func TestFilesOfOlderVersionsAreRead(t *testing.T) {
	if *writeArchive {
		writeCrowded(t)
	}
	if kept := fmt.Sprintf("testdata/archives/crowded.%d", archive.Version-1); !exists(kept) {
		t.Errorf("%s is missing: run make archive-fixture at the commit before the change of the format", kept)
	}
	puppets, wasm := replicatest.NewPuppets(replicatest.First(1)), replica.Config{Engine: canistertest.NewEngine(t)}
	for line := range strings.Lines(string(mustRead(t, "testdata/archives/roots.txt"))) {
		var name, root string
		if _, err := fmt.Sscan(line, &name, &root); err != nil {
			t.Fatalf("roots.txt: %q: %v", line, err)
		}
		config := wasm
		if strings.HasPrefix(name, "puppets.") {
			config = puppets.Config()
		}
		content := mustRead(t, "testdata/archives/"+name)
		version := binary.BigEndian.Uint32(content[16:])
		if !strings.HasSuffix(name, fmt.Sprintf(".%d", version)) {
			t.Errorf("%s has version %d", name, version)
		}
		n, err := replica.Import(bytes.NewReader(content), config)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if version < archive.VersionPageFiles {
			isCheckpoint(t, name, content, config, n.RootHash())
		}
		if now := n.RootHash(); hex.EncodeToString(now[:]) != root {
			t.Errorf("%s comes to %x, want %s", name, now, root)
		}
		n = exchanged(t, n, config) // in the present version
		for range 5 {
			n.Round()
		}
		n.Close()
	}
}

// writeCrowded writes the network of crowdedStage and its state hash as a file of the present version, once.
func writeCrowded(t *testing.T) {
	t.Helper()
	name := fmt.Sprintf("crowded.%d", archive.Version)
	if exists("testdata/archives/" + name) {
		t.Fatalf("testdata/archives/%s exists: files of earlier programs do not change", name)
	}
	stage, _ := crowdedStage(t)
	var file bytes.Buffer
	if err := stage.Network.Export(&file); err != nil {
		t.Fatal(err)
	}
	roots := fmt.Appendf(mustRead(t, "testdata/archives/roots.txt"), "%s %x\n", name, stage.Network.RootHash())
	for path, content := range map[string][]byte{name: file.Bytes(), "roots.txt": roots} {
		if err := os.WriteFile("testdata/archives/"+path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
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
