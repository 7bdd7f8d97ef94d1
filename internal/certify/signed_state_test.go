package certify

import (
	"fmt"
	"sync"
	"testing"
)

func TestAHeightUnderAnotherDateHasTheSameStateAndASignatureOfItsOwn(t *testing.T) {
	key := NewSubnetKey(Seed{1})
	tree := Tree{}.Set(Leaf(Nat(1_000)), TimePath()...).Set(Leaf([]byte("x")), "a", "b")
	signed := 0
	h := NewHeightOnSigned(tree, key, func() { signed++ })
	if h.Dated(0) != h {
		t.Error("the same date is another height")
	}
	for _, by := range []int64{5, -5, 5} {
		dated := h.Dated(by)
		c, err := DecodeCertificate(dated.Certificate(nil, Path{"a"}))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.VerifyForSubnet(key.Public(), key.Public().Principal()); err != nil {
			t.Errorf("%+d: %v", by, err)
		}
		if at, err := c.Time(); err != nil || int64(at) != 1_000+by {
			t.Errorf("%+d: the time is %d (%v)", by, at, err)
		}
		if leaf, ok := dated.Tree().Get("a", "b"); !ok || string(leaf.Value()) != "x" {
			t.Errorf("%+d: the state is another", by)
		}
		if dated != h.Dated(by) {
			t.Errorf("%+d: it is made and signed again", by)
		}
	}
	if h.Signature(); signed != 1 {
		t.Errorf("onSigned was called %d times, want once", signed)
	}
	if at, _ := h.Tree().Get(TimePath()...); string(at.Value()) != string(Nat(1_000)) {
		t.Error("the height itself has another date")
	}
	bare := NewHeight(Tree{}.Set(Leaf([]byte("x")), "a"), key)
	if bare.Dated(5) != bare {
		t.Error("a tree without a time got one")
	}
}

func TestConcurrentReadersOfSharingTreesGetTheSameHashesAndSignatures(t *testing.T) {
	metadata := Map(Entry{"candid:service", Leaf(make([]byte, 5000))})
	tr := Tree{}.Set(Leaf(Nat(1)), TimePath()...)
	var heights []*SignedState
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
