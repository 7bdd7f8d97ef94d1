package certify

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func drawChanges(t *rapid.T) []Change {
	labels := rapid.OneOf(
		rapid.StringMatching(`[ab]{0,5}`),
		rapid.Map(rapid.IntRange(0, 400), func(i int) string { return fmt.Sprintf("%03d", i) }),
		rapid.Map(rapid.IntRange(0, 2000), func(i int) string { return string([]byte{byte(i / 7), byte(i * 31)}) }),
	)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Change {
		return Change{
			Label: Label(labels.Draw(t, "label")),
			Node:  Leaf([]byte(rapid.StringMatching(`[x-z]{0,3}`).Draw(t, "value"))),
			Gone:  rapid.IntRange(0, 3).Draw(t, "gone") == 0,
		}
	}), 0, 200).Draw(t, "changes")
}

// The shape follows from the contents, so two trees with the same root are the
// same trees; the map is compared as well, in case both went wrong alike.
func TestManyChangesAtOnceAreTheSameChangesOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := Path{"map", "inner"}
		var once, each Tree
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			changes := drawChanges(t)
			for _, c := range changes {
				if path := append(at[:2:2], c.Label); c.Gone {
					each = each.Delete(path...)
				} else {
					each = each.Set(c.Node, path...)
				}
			}
			once = once.Apply(changes, at...)
			if left, right := contentsOf(once), contentsOf(each); len(left) != len(right) {
				t.Fatalf("%d values at once, %d one by one", len(left), len(right))
			}
			if inner, ok := each.Get(at...); ok && inner.Len() > 0 && once.Root() != each.Root() {
				t.Fatalf("the roots differ with %d entries", inner.Len())
			}
		}
	})
}

func TestApplyingNoChangesIsTheSameTree(t *testing.T) {
	tree := Tree{}.Set(Leaf([]byte("v")), "a", "b")
	if !tree.Equal(tree.Apply(nil, "c")) {
		t.Error("no changes changed something")
	}
}

func TestAMapThatIsEmptyAfterChangesIsNotThere(t *testing.T) {
	one := Tree{}.Set(Leaf([]byte("v")), "other")
	two := one.Apply([]Change{{Label: "a", Node: Leaf(nil)}}, "map").Apply([]Change{{Label: "a", Gone: true}}, "map")
	if _, found := two.Get("map"); found || one.Root() != two.Root() {
		t.Errorf("the map is there: %t; the root is %x, and was %x", found, two.Root(), one.Root())
	}
	if three := one.Apply([]Change{{Label: "a", Gone: true}}, "map"); three.Root() != one.Root() {
		t.Error("the deletion of what is not there makes a map")
	}
}

func BenchmarkApply4096RequestStatusesTo100000(b *testing.B) {
	status := Map(Entry{"status", Leaf([]byte("replied"))}, Entry{"reply", Leaf([]byte("DIDL\x00\x00"))})
	label := func(i int) Label { h := sha256.Sum256(Nat(uint64(i))); return Label(h[:]) }
	var base []Change
	for i := range 100_000 {
		base = append(base, Change{Label: label(i), Node: status})
	}
	tree := Tree{}.Apply(base, "request_status")
	more := make([]Change, 4096)
	b.ResetTimer()
	for n := range b.N {
		b.StopTimer()
		for i := range more {
			more[i] = Change{Label: label(1_000_000 + n*4096 + i), Node: status}
		}
		b.StartTimer()
		tree.Apply(more, "request_status")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(more)), "ns/status")
}
