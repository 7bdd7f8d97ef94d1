package replica_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// installations are the rounds in which code was installed, with whose it is.
type installations []string

func (i *installations) Event(e *replica.Event) {
	if e.Kind == replica.CodeInstalled {
		*i = append(*i, fmt.Sprintf("%s in round %d", e.Canister, e.Height))
	}
}

// twin is a manualCompiler with another network, which asks for modules for itself.
func (w *manualCompiler) twin(n *replica.Network) *manualCompiler {
	stage := *w.Stage
	stage.Network = n
	return &manualCompiler{Stage: &stage, engine: w.engine}
}

// ready says to a network that the modules it asked for are ready. No round is made.
func (w *manualCompiler) ready() {
	jobs := w.asked
	w.asked = nil
	for i := range jobs {
		w.Apply(jobs[i].Prepare(context.Background(), w.engine))
	}
}

// copies are the ways to a second network at the same point, whose modules another
// compiler compiles.
var copies = map[string]func(t *testing.T, w *manualCompiler) *manualCompiler{
	"a fork": func(_ *testing.T, w *manualCompiler) *manualCompiler {
		f := w.twin(nil)
		f.Network = w.Network.Fork(replica.ForkConfig{Parts: replica.Parts{Compiler: f}})
		return f
	},
	"a snapshot": func(t *testing.T, w *manualCompiler) *manualCompiler {
		kept := w.Network.Fork(replica.ForkConfig{})
		f := w.twin(nil)
		f.Network = kept.Fork(replica.ForkConfig{})
		kept.Close()
		f.Wake(replica.Parts{Compiler: f})
		return f
	},
	"an import": func(t *testing.T, w *manualCompiler) *manualCompiler {
		f := w.twin(nil)
		n, err := replica.Import(bytes.NewReader(exported(t, w.Network)), replica.Config{Engine: w.engine, Compiler: f})
		if err != nil {
			t.Fatal(err)
		}
		f.Network = n
		return f
	},
}

// delayed lets A install two modules into T, and one of them into B too.
func delayed(t *testing.T, w *manualCompiler) replica.RequestID {
	t.Helper()
	settings := fmt.Sprintf(`settings = record { controllers = opt vec { principal "%s"; principal "%s" } }`, w.User, w.ID("A"))
	if a := w.Manage("B", "update_settings", w.About("B", settings)); a.Status != "replied" {
		t.Fatal(a)
	}
	same := w.installs(real.Upgrade, some("one"), canistertest.Script())
	same.Arg = w.InstallArgs("B", real.Upgrade, some("one"), nil)
	return w.begin(t, canistertest.Script().
		Call(w.installs(real.Install, some("one"), canistertest.Script())).Drop().
		Call(w.installs(real.Upgrade, some("two"), answered())).Drop().
		Call(same).Drop())
}

func TestNetworksCopiedWhileAModuleIsCompiledInstallItOnceAndInTheSameRound(t *testing.T) {
	for name, copied := range copies {
		t.Run(name, func(t *testing.T) {
			w := newManualCompiler(t, replica.Config{})
			asked := delayed(t, w)
			f := copied(t, w)
			t.Cleanup(func() { f.Close() })
			var one, two installations
			w.Listen(&one)
			f.Listen(&two)
			if len(w.asked) != 1 || len(f.asked) != 1 || f.asked[0].Hash != w.asked[0].Hash || !bytes.Equal(f.asked[0].Module, w.asked[0].Module) {
				t.Fatalf("the source has asked for %d modules, and the other for %d: both want one", len(w.asked), len(f.asked))
			}
			for step := range 12 {
				if step%4 == 3 {
					w.ready()
					f.ready()
				}
				w.Round()
				f.Round()
				if stateHash(t, w.Network) != stateHash(t, f.Network) {
					t.Fatalf("after step %d the states differ:\n%s", step, differences(t, w.Stage, w.Network, f.Network))
				}
				if step < 3 && len(one)+len(two) > 0 {
					t.Fatalf("something was installed before it was compiled: %v, %v", one, two)
				}
			}
			if fmt.Sprint(one) != fmt.Sprint(two) || len(one) != 3 {
				t.Errorf("the source has installed %v, the other %v", one, two)
			}
			atOnce(t, w, asked)
		})
	}
}

// atOnce checks that a network has reached the same state as one that compiles nothing in the background: only the time
// differs.
func atOnce(t *testing.T, w *manualCompiler, asked replica.RequestID) {
	t.Helper()
	plain := newManualCompiler(t, replica.Config{})
	plain.Wake(replica.Parts{})
	if got, want := w.Answer(asked), plain.Answer(delayed(t, plain)); got.String() != want.String() || got.Status != "replied" {
		t.Errorf("A says %s, without delay %s", got, want)
	}
	for _, name := range []string{"A", "B", "T"} {
		a, b := w.Canister(w.ID(name)), plain.Canister(plain.ID(name))
		if w.hash(name) != plain.hash(name) || a.Version != b.Version || a.History.Total != b.History.Total || a.Consumed.Instructions != b.Consumed.Instructions {
			t.Errorf("canister %s: version %d, %d changes, %s cycles for instructions; without delay %d, %d, %s",
				name, a.Version, a.History.Total, a.Consumed.Instructions, b.Version, b.History.Total, b.Consumed.Instructions)
		}
	}
	if w.hash("T") != sha256.Sum256(some("two")) || w.hash("B") != sha256.Sum256(some("one")) {
		t.Error("the canisters have other modules than were installed last")
	}
}

// A module that only the source's compiler has made ready is not ready in the fork, which
// waits for its own; and where the fork has none, it compiles in its first round.
func TestAForkWaitsForItsOwnCompiler(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	asked := delayed(t, w)
	f, alone := copies["a fork"](t, w), w.twin(w.Network.Fork(replica.ForkConfig{}))
	t.Cleanup(func() {
		f.Close()
		alone.Close()
	})
	var early installations
	f.Listen(&early)
	for range 3 {
		w.finish()
		f.runUntilIdle()
	}
	if !w.Answer(asked).Over() || f.Answer(asked).Over() || len(early) > 0 {
		t.Errorf("the source hears %s, the fork %s, and has installed %v", w.Answer(asked), f.Answer(asked), early)
	}
	for range 3 {
		f.finish()
	}
	alone.runUntilIdle()
	for name, other := range map[string]*manualCompiler{"the fork": f, "the fork without a compiler": alone} {
		if w.hash("T") != other.hash("T") || w.hash("B") != other.hash("B") || !other.Answer(asked).Over() {
			t.Errorf("%s hears %s", name, other.Answer(asked))
		}
	}
}
