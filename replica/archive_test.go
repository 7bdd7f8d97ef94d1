package replica_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// exported is the file of a network, nil while a round is open.
func exported(t interface{ Fatalf(string, ...any) }, n *replica.Network) []byte {
	var file bytes.Buffer
	err := n.Export(&file)
	if errors.Is(err, replica.ErrBusy) {
		return nil
	}
	if err != nil {
		t.Fatalf("export: %v", err)
	}
	return file.Bytes()
}

// exchanged is a network in the place of another, made of its file, which is closed. The
// file must come to the same state, and be the same again. A network in the middle of a round
// stays.
func exchanged(t interface{ Fatalf(string, ...any) }, n *replica.Network, config replica.Config) *replica.Network {
	file := exported(t, n)
	if file == nil {
		return n
	}
	again, err := replica.Import(bytes.NewReader(file), replicatest.WithKeys(config))
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	if one, two := n.RootHash(), again.RootHash(); one != two {
		t.Fatalf("the root hash is %x, and was %x", two, one)
	}
	if second := exported(t, again); !bytes.Equal(file, second) {
		t.Fatalf("the second file is another: %s", firstDifference(file, second))
	}
	n.Close()
	return again
}

func firstDifference(a, b []byte) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("at byte %d of %d and %d", i, len(a), len(b))
}

func TestAScenarioGoesOnInAnImportedNetwork(t *testing.T) {
	few(t)
	th := newHarness(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		every := rapid.IntRange(1, 5).Draw(rt, "every")
		saw, turn := new(seen), 0
		imported := th.runOn(d, nil, saw, func(s *real.Stage) {
			if turn++; turn%every == 0 {
				s.Network = exchanged(rt, s.Network, replica.Config{Engine: th.engine, Events: saw})
			}
			s.Network.Round()
		})
		identical(rt, d, "imported", th.run(d, nil, round), imported)
	})
}

func TestScriptsGiveTheirTracesInImportedNetworks(t *testing.T) {
	replicatest.ScriptsBetween(t, "testdata", sometimes)
}

func TestRealCanistersGiveTheirTracesInImportedNetworks(t *testing.T) {
	real.ScriptsBetween(t, "testdata/real", sometimes, slowScripts...)
}

// always makes sometimes mean each time.
var always = flag.Bool("always", false, "export and import networks of scripts between all rounds")

// sometimes exchanges a network for an imported one, at every ninth occasion of a script: all occasions
// take minutes, and so does every ninth under the race detector. An occasion with much memory, which takes seconds,
// counts as a sixteenth. Each script begins at an occasion of its own.
func sometimes(t testing.TB) replicatest.Between {
	const whole, much = 16, 64 << 20
	every := 9
	if testing.Short() {
		every = 101
	}
	sixteenths := phase(t, every*whole)
	return func(t testing.TB, n *replica.Network, config replica.Config) *replica.Network {
		before := sixteenths / (every * whole)
		if n.AllMemory() > much {
			sixteenths++
		} else {
			sixteenths += whole
		}
		if !*always && sixteenths/(every*whole) == before {
			return n
		}
		return exchanged(t, n, config)
	}
}

// phase returns a number below a limit that depends on the name of the test alone.
func phase(t testing.TB, below int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.Name()))
	return int(h.Sum32() % uint32(below))
}

func TestAModuleThatIsBeingCompiledIsAskedForAgainInAnImportedNetwork(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	module := some("one")
	id := w.begin(t, canistertest.Script().Call(w.installs(real.Install, module, answered())).Drop())
	asked := w.asked
	w.asked = nil
	w.Network = exchanged(t, w.Network, replica.Config{Engine: w.engine, Compiler: w})
	if len(asked) != 1 || len(w.asked) != 1 || w.asked[0].Hash != asked[0].Hash || !bytes.Equal(w.asked[0].Module, module) {
		t.Fatalf("%d modules were asked for, then %d", len(asked), len(w.asked))
	}
	w.finish()
	if a := w.Answer(id); string(a.Reply) != "installed" || w.hash("T") != asked[0].Hash {
		t.Errorf("A says %s", a)
	}
}

func TestAModuleThatWasBeingCompiledIsCompiledInAnImportedNetworkWithoutACompiler(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	module := some("one")
	id := w.begin(t, canistertest.Script().Call(w.installs(real.Install, module, answered())).Drop())
	w.Network = exchanged(t, w.Network, replica.Config{Engine: w.engine})
	w.runUntilIdle()
	if a := w.Answer(id); string(a.Reply) != "installed" || w.hash("T") != sha256.Sum256(module) {
		t.Errorf("A says %s", a)
	}
}

func TestMotokoActorsGoOnInImportedNetworks(t *testing.T) {
	s := motokoStage(t, replica.Config{})
	s.Between = func(n *replica.Network) *replica.Network { return exchanged(t, n, replica.Config{Engine: n.Engine()}) }
	for _, name := range []string{"counter", "ledger", "caller", "greeter", "relay"} {
		s.actor(name, 0)
	}
	for i := range 3 {
		s.expect("inc", s.call("counter", "inc", "()"), fmt.Sprintf("(%d : nat)", i+1))
		s.expect("record", s.call("ledger", "record", fmt.Sprintf(`(%d : nat, "note %d")`, 100*i, i)), fmt.Sprintf("(%d : nat)", i+1))
	}
	s.expect("bump", s.call("caller", "bump", `("$counter")`), "(4 : nat)")
	s.expect("pass", s.call("relay", "pass", `("$greeter", "world")`), `("the greeter says: Hello, world!")`)
	s.expect("upgrade ledger", s.install("ledger", real.UpgradeKeep), "()")
	s.expect("ledger", s.query("ledger", "total"), "(300 : nat)")
	s.rest()
}
