package replica_test

import (
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
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

// recordedCode collects what runs of each canister.
type recordedCode struct {
	mu         sync.Mutex // guards byCanister
	byCanister map[principal.Principal]*canister.Coverage
}

func (r *recordedCode) of(id principal.Principal) canister.Collector {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byCanister[id] == nil {
		r.byCanister[id] = canister.NewCoverage()
	}
	return r.byCanister[id]
}

// blocks counts blocks that ran.
func (r *recordedCode) blocks() (ran int) {
	for _, c := range r.byCanister {
		for _, m := range c.Modules() {
			for _, f := range m.Functions {
				for _, b := range f.Blocks {
					if b.Ran {
						ran++
					}
				}
			}
		}
	}
	return ran
}

func TestACoverageOfANetworkChangesNoTrace(t *testing.T) {
	var blocks atomic.Int64 // the scripts run in parallel
	t.Cleanup(func() {
		if n := blocks.Load(); n < 1000 {
			t.Errorf("only %d blocks ran", n)
		}
	})
	real.ScriptsBetween(t, "testdata/real", func(t testing.TB) replicatest.Between {
		r := &recordedCode{byCanister: map[principal.Principal]*canister.Coverage{}}
		t.Cleanup(func() { blocks.Add(int64(r.blocks())) })
		return func(_ testing.TB, n *replica.Network, _ replica.Config) *replica.Network {
			n.Cover(r.of)
			return n
		}
	}, slowScripts...)
}

func TestEveryLanguageCostsTheSameWithACoverageOfTheNetwork(t *testing.T) {
	r := &recordedCode{byCanister: map[principal.Principal]*canister.Coverage{}}
	b := newBill(t, false, "bank", "branch", "kernels", "other")
	b.Cover(r.of)
	b.compiled()
	golden.Compare(t, filepath.Join("testdata", "fixtures.golden"), b.lines.String())
	b = newBill(t, true, motokoActors...)
	b.Cover(r.of)
	b.actors()
	golden.Compare(t, filepath.Join("testdata", "motoko.golden"), b.lines.String())
	if n := r.blocks(); n < 1000 {
		t.Errorf("only %d blocks ran", n)
	}
}
