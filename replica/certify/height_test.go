package certify

import (
	"fmt"
	"sync"
	"testing"
)

func TestConcurrentReadersOfSharingTreesGetTheSameHashesAndSignatures(t *testing.T) {
	metadata := Map(Entry{"candid:service", Leaf(make([]byte, 5000))})
	tr := Tree{}.Set(Leaf(Nat(1)), TimePath()...)
	var heights []*Height
	key := NewSubnetKey(Seed{1})
	for i := range 8 {
		for j := range 50 {
			tr = tr.Set(Map(Entry{"metadata", metadata}, Entry{"f", Leaf(fmt.Append(nil, i, j))}), "canister", Label(fmt.Sprint(i*j)))
		}
		heights = append(heights, NewHeight(tr, key))
	}
	certificates := make([][]string, 8)
	var readers sync.WaitGroup
	for r := range certificates {
		readers.Go(func() {
			for i := range heights {
				h := heights[(i+r)%len(heights)]
				certificates[r] = append(certificates[r], fmt.Sprint((i+r)%len(heights), h.Certificate(nil, Path{"canister", "7"}, Path{"x"})))
			}
		})
	}
	readers.Wait()
	seen := map[string]bool{}
	for _, cs := range certificates {
		for _, c := range cs {
			seen[c] = true
		}
	}
	if len(seen) != len(heights) {
		t.Errorf("%d different certificates of %d heights", len(seen), len(heights))
	}
	for i, h := range heights {
		if rootOf(t, h.Tree()) != h.Root() {
			t.Errorf("height %d: the root is wrong", i)
		}
		signature := h.Signature()
		if err := key.Public().Verify(rootMessage(h.Root()), signature[:]); err != nil {
			t.Errorf("height %d: %v", i, err)
		}
	}
}
