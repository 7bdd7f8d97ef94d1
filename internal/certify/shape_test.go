package certify

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
)

func TestALargeMapChangedLabelByLabelIsTheOneBuiltAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	label := func() Label {
		switch raw := binary.BigEndian.AppendUint64(nil, uint64(r.IntN(700))); r.IntN(4) {
		case 0:
			return LabelOf(principal.Canister(uint64(r.IntN(700))))
		case 1:
			return Label(raw[6:][:r.IntN(3)])
		default:
			h := sha256.Sum256(raw)
			return Label(h[:])
		}
	}
	tr, present := Tree{}, map[Label]Node{}
	contents := []Node{Leaf([]byte("v")), Map(), repliedNode(), canisterNode(1, repliedNode())}
	for step := range 6000 {
		if l := label(); step/1000%2 == 0 == (r.IntN(4) != 0) {
			present[l] = contents[r.IntN(len(contents))]
			tr = tr.Set(present[l], l)
		} else {
			delete(present, l)
			tr = tr.Delete(l)
		}
		if step%50 != 0 {
			continue
		}
		var es []Entry
		for _, l := range slices.Sorted(maps.Keys(present)) {
			es = append(es, Entry{l, present[l]})
		}
		if got, want := tr.Root(), Map(es...).Hash(); got != want {
			t.Fatalf("step %d, %d labels: root %x, built at once %x", step, len(es), got, want)
		}
	}
}

// forksOf is the largest number of forks above an entry of a map of leaves.
func forksOf(m Node) int { return TreeOf(m).Nesting() - 2 }

func TestRandomLabelsLieAtMostTwoForksDeeperThanTheLogarithm(t *testing.T) {
	for _, n := range []int{33, 100, 1000, 2500, 4096, 10_000, 17_000, 40_000} {
		es := make([]Entry, n)
		for i := range es {
			h := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
			es[i] = Entry{Label(h[:]), Leaf(nil)}
		}
		if got, limit := forksOf(Map(es...)), bits.Len(uint(n-1))+2; got > limit {
			t.Errorf("%d labels: %d forks, want at most %d", n, got, limit)
		}
	}
}

func TestCanistersNumberedInTurnLieAsHighAsTheyCan(t *testing.T) {
	for _, n := range []int{2, 33, 1000, 4096, 5000} {
		es := make([]Entry, n)
		for i := range es {
			es[i] = Entry{LabelOf(principal.Canister(1<<20 + uint64(i))), Leaf(nil)}
		}
		if got, limit := forksOf(Map(es...)), bits.Len(uint(n-1)); got != limit {
			t.Errorf("%d canisters: %d forks, want %d", n, got, limit)
		}
	}
}

func TestATallEntryOfASmallMapLiesNearItsTop(t *testing.T) {
	tall := Map(Entry{"x", Map(Entry{"y", Map(Entry{"z", Leaf(nil)})})})
	es := []Entry{{"m", tall}}
	for _, l := range "abcdefghijklnopqrstuvwxyz" {
		es = append(es, Entry{Label(l), Leaf(nil)})
	}
	// 26 entries need five forks; the tall one may have three of them above it.
	if got := TreeOf(Map(es...)).Nesting(); got > 5+2+1 {
		t.Errorf("nests %d levels", got)
	}
}
