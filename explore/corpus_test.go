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

func TestAFindingOfACorpusIsFoundInTheFirstRunUntilItIsFixed(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "corpus")
	again := func(module string) *explore.Report {
		t.Helper()
		ic, bank, _ := bank(t, module)
		withdraw := explore.Op(bank, "withdraw", 100)
		r, err := explore.Explore(t.Context(), ic.Network, withdraw, withdraw, explore.Invariant("vault paidOut <= 100"), explore.Corpus(folder))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if first := again("bank.wasm"); len(first.Violations()) != 1 {
		t.Fatalf("%d findings, want 1", len(first.Violations()))
	}
	second := again("bank.wasm")
	if found := second.Violations(); len(found) != 1 || found[0].Run != 1 || found[0].Phase != "corpus" || len(second.Passed) > 0 {
		t.Errorf("the second exploration finds %v, and no longer %q", found, second.Passed)
	}
	if fixed := again("careful.wasm"); len(fixed.Violations()) > 0 || len(fixed.Passed) == 0 || !strings.Contains(strings.Join(fixed.Passed, "\n"), "vault paidOut <= 100 holds in this run") {
		t.Errorf("after the fix, no longer failing are %q", fixed.Passed)
	}
}
