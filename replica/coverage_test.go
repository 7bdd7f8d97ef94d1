package replica_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestEveryLanguageCostsTheSameWithCoverage(t *testing.T) {
	coverage := canister.NewCoverage()
	engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: canistertest.CacheDir(t), Coverage: coverage})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	b := newBillOn(t, engine, false, "bank", "branch", "kernels", "other")
	b.compiled()
	golden.Compare(t, filepath.Join("testdata", "fixtures.golden"), b.lines.String())
	b = newBillOn(t, engine, true, motokoActors...)
	b.actors()
	golden.Compare(t, filepath.Join("testdata", "motoko.golden"), b.lines.String())

	modules := coverage.Modules()
	if len(modules) != 9 {
		t.Errorf("there is coverage of %d modules, want those of 9 fixtures", len(modules))
	}
	for i := range modules {
		ran, all := 0, 0
		for _, f := range modules[i].Functions {
			for _, block := range f.Blocks {
				all++
				if block.Ran {
					ran++
				}
			}
		}
		if ran == 0 || ran == all || len(modules[i].Raw) == 0 {
			t.Errorf("module %x: %d of %d blocks ran", modules[i].Hash[:4], ran, all)
		}
	}
	bank := modules[slices.IndexFunc(modules, func(m canister.CoveredModule) bool {
		return slices.ContainsFunc(m.Calls, func(c canister.CoveredCall) bool { return c.Method == "deposit" })
	})]
	for _, call := range bank.Calls {
		if call.Method == "deposit" && (call.Made == 0 || call.Replied == 0 || call.Rejected == 0 || call.Made != call.Replied+call.Rejected) {
			t.Errorf("bank's calls of deposit are %+v: each has an answer, and both kinds happen", call)
		}
	}
}
