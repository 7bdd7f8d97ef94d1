package replica_test

import (
	"errors"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// stateHash is the hash of the whole state, or the root hash in the middle of a round.
func stateHash(t testing.TB, n *replica.Network) [32]byte {
	t.Helper()
	hash, err := n.StateHash()
	if errors.Is(err, replica.ErrBusy) {
		return n.RootHash()
	}
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// Two forks take a request of the same id with another argument each: their certified trees and
// counters are the same.
func TestTheStateHashSeesWhatTheRootHashDoesNot(t *testing.T) {
	for name, c := range map[string]struct {
		programs [2]string
		rounds   int
	}{
		"a word of the heap":            {[2]string{`set 1; reply "x"`, `set 2; reply "x"`}, 3},
		"a byte of the stable memory":   {[2]string{`stable-write 0, "a"; reply "x"`, `stable-write 0, "b"; reply "x"`}, 3},
		"the payload of a waiting call": {[2]string{`reply "1"`, `reply "2"`}, 0},
		"a line of the log":             {[2]string{`print "1"; reply "x"`, `print "2"; reply "x"`}, 3},
		"the text of a message parked":  {[2]string{`spin 4_000_000; reply "1"`, `spin 4_000_000; reply "2"`}, 1},
	} {
		s := real.NewStage(t, replica.Config{SliceInstructions: 2_000_000})
		s.Create("A", 0, real.Plenty)
		s.Install("A", real.Install, canistertest.Scriptable(), nil)
		s.Call("A", "run", compiled(t, s, `drop stable-grow(1); reply "x"`))
		var states, roots [2][32]byte
		for i, program := range c.programs {
			f := s.Fork(replica.ForkConfig{})
			in := f.Ingress(f.ID("A"), f.ID("A"), "run", compiled(t, f, program))
			in.ID = replica.RequestID{1}
			if r := f.Apply(in); r.Refusal != nil || r.Reject != nil {
				t.Fatalf("%s: %+v", name, r)
			}
			for range c.rounds {
				f.Round()
			}
			states[i], roots[i] = stateHash(t, f.Network), f.RootHash()
			if again := stateHash(t, f.Network); again != states[i] {
				t.Errorf("%s: the state hash is %x and then %x", name, states[i], again)
			}
		}
		if roots[0] != roots[1] {
			t.Errorf("%s: the root hash differs, so this case shows nothing", name)
		}
		if states[0] == states[1] {
			t.Errorf("%s: the state hash does not see it", name)
		}
	}
}
