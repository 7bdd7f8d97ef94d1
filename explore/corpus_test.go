package explore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/explore"
)

func TestAnExplorationContinuesTheCorpusOfAnother(t *testing.T) {
	t.Parallel()
	ic, bank, _ := bank(t, "bank.wasm")
	folder := filepath.Join(t.TempDir(), "corpus")
	options := []explore.Option{explore.Any(bank), explore.KeepGoing(), explore.Corpus(folder)}
	first, err := explore.Explore(t.Context(), ic.Network, append(options, explore.Budget(400))...)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.run.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the corpus has no files: %v", err)
	}
	if err := os.WriteFile(files[0], []byte("cut off"), 0o600); err != nil {
		t.Fatal(err)
	}
	next, err := explore.Explore(t.Context(), ic.Network, append(options, explore.Budget(2*len(files)))...)
	if err != nil {
		t.Fatal(err)
	}
	if len(next.LeftOut) != 1 || !strings.Contains(next.LeftOut[0], "is damaged") {
		t.Errorf("left out are %q, want the damaged file", next.LeftOut)
	}
	if next.Coverage.Edges < first.Coverage.Edges*8/10 {
		t.Errorf("the corpus alone has %d edges, and the exploration that wrote it %d", next.Coverage.Edges, first.Coverage.Edges)
	}
}
