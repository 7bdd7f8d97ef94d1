package harness_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

// TestARunEndsInTheStateOfANetworkThatIsNeitherForkedNorAsked draws orders of messages. A run is queried and forked on
// the way, and reuses instances and memory pages that other runs have left. Its end is compared with the same moves in
// an ordinary fork of the base.
func TestARunEndsInTheStateOfANetworkThatIsNeitherForkedNorAsked(t *testing.T) {
	for _, bank := range []string{"bank", "careful"} {
		s, setup := theft(t, bank, 3)
		l := newHarness(t, setup)
		for seed := range uint64(8) {
			chance := rand.New(rand.NewPCG(1, seed))
			r := l.Begin(nil)
			var made []int
			for moves := r.Moves(); len(moves) > 0; moves = r.Moves() {
				if chance.IntN(2) == 0 {
					paidOut(t, s, r)
				}
				if chance.IntN(3) == 0 {
					r = branch(t, s, r, chance)
				}
				at := chance.IntN(len(moves))
				made = append(made, at)
				r.Take(at)
			}
			paidOut(t, s, r)
			if got, want := hashOf(t, r.Network()), alone(t, setup, made); got != want {
				t.Errorf("%s, seed %d: after the moves %v the state is %x, want %x", bank, seed, made, got, want)
			}
			r.Close()
		}
	}
}

// branch runs either a fork of a run or the run itself to its end, and returns the other.
func branch(t *testing.T, s *real.Stage, r *harness.Run, chance *rand.Rand) *harness.Run {
	t.Helper()
	ends, stays := r.Fork().(*harness.Run), r
	if chance.IntN(2) == 0 {
		ends, stays = stays, ends
	}
	for moves := ends.Moves(); len(moves) > 0; moves = ends.Moves() {
		ends.Take(chance.IntN(len(moves)))
	}
	paidOut(t, s, ends)
	ends.Close()
	stays.Moves()
	return stays
}

// alone returns the hash of the state after moves, in a fork of the base that writes its pages to the file.
func alone(t *testing.T, setup *harness.Setup, made []int) [32]byte {
	t.Helper()
	n := setup.Base.Fork(replica.ForkConfig{})
	defer n.Close()
	for i := range setup.Operations {
		in := setup.Operations[i].Message
		in.ID = sha256.Sum256(fmt.Appendf(nil, "canisterd explore operation %d", i+1))
		in.Expiry = n.Activity().Clock + replica.MaxIngressTTL
		n.Apply(&in)
	}
	for {
		if len(n.NextDeliveries()) == 0 {
			if !n.Step(replica.FIFO{}) {
				break
			}
			continue
		}
		n.Step(replica.OracleFunc(func([]replica.Move) int { return made[0] }))
		made = made[1:]
	}
	return hashOf(t, n)
}

func hashOf(t *testing.T, n *replica.Network) [32]byte {
	t.Helper()
	hash, err := n.StateHash()
	if err != nil {
		t.Fatal(err)
	}
	return hash
}
