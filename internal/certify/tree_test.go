package certify

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// model is a state tree without any cleverness: values by path.
type model map[string][]byte

const sep = "\x00/"

func keyOf(p Path) string {
	parts := make([]string, len(p))
	for i, l := range p {
		parts[i] = string(l)
	}
	return strings.Join(parts, sep)
}

func contentsOf(tr Tree) model {
	m := model{}
	tr.Walk(func(p Path, v []byte) bool {
		m[keyOf(p)] = v
		return true
	})
	return m
}

// rootOf recomputes a root from the whole encoded tree, with none of the
// caches.
func rootOf(t testing.TB, tr Tree) [32]byte {
	t.Helper()
	h, err := DecodeHashTree(tr.AppendWitness(nil, Path{}))
	if err != nil {
		t.Fatal(err)
	}
	return h.Root()
}

func drawPath(t *rapid.T) Path {
	top := Label(rapid.SampledFrom([]string{"canister", "request_status", "sub"}).Draw(t, "top"))
	id := Label(rapid.OneOf(
		rapid.StringMatching(`[ab]{0,3}`),
		rapid.Map(rapid.IntRange(0, 300), func(i int) string { return fmt.Sprintf("%03d", i) }),
		rapid.Map(rapid.IntRange(0, 120), func(i int) string { return string([]byte{byte(i / 7), byte(i * 31)}) }),
	).Draw(t, "id"))
	field := Label(rapid.SampledFrom([]string{"f", "g", "module_hash"}).Draw(t, "field"))
	return Path{top, id, field}
}

func TestATreeAgreesWithAMapOfItsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, m := Tree{}, model{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			p := drawPath(t)
			switch rapid.IntRange(0, 5).Draw(t, "op") {
			case 0:
				tr = tr.Delete(p...)
				delete(m, keyOf(p))
			case 1:
				tr = tr.Delete(p[:2]...)
				maps.DeleteFunc(m, func(k string, _ []byte) bool { return strings.HasPrefix(k, keyOf(p[:2])+sep) })
			default:
				v := bytes.Repeat([]byte{byte(len(m))}, rapid.SampledFrom([]int{0, 1, 32, 300, 2000}).Draw(t, "length"))
				tr = tr.Set(Leaf(v), p...)
				m[keyOf(p)] = v
			}
			if rapid.IntRange(0, 9).Draw(t, "hash now") == 0 {
				tr.Root()
			}
		}
		if got := contentsOf(tr); !maps.EqualFunc(got, m, bytes.Equal) {
			t.Fatalf("tree holds %v, want %v", got, m)
		}
		for k, v := range m {
			n, ok := tr.Get(PathOf(bytes.Split([]byte(k), []byte(sep)))...)
			if !ok || !n.IsLeaf() || !bytes.Equal(n.Value(), v) {
				t.Fatalf("Get(%q) = %v, %v, want %x", k, n, ok, v)
			}
		}
	})
}

func TestTheRootIsThatOfTheEncodedTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := Tree{}
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			tr = tr.Set(Leaf([]byte("v")), drawPath(t)...)
		}
		h, err := DecodeHashTree(tr.AppendWitness(nil, Path{}))
		if err != nil {
			t.Fatal(err)
		}
		if h.Root() != tr.Root() {
			t.Fatalf("cached root %x, recomputed %x", tr.Root(), h.Root())
		}
		if h.Nesting() != tr.Nesting() {
			t.Fatalf("nesting %d, the tree says %d", h.Nesting(), tr.Nesting())
		}
	})
}

func TestTheRootDependsOnContentsAloneNotOnHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept := Tree{}.Set(Map(), "canister").Set(Map(), "request_status").Set(Map(), "sub")
		paths := rapid.SliceOfN(rapid.Custom(drawPath), 1, 200).Draw(t, "paths")
		long := kept
		for _, p := range paths {
			long = long.Set(Leaf([]byte("x")), p...)
		}
		keep := rapid.IntRange(0, len(paths)).Draw(t, "keep")
		want := map[string]Path{}
		for _, p := range paths[:keep] {
			want[keyOf(p)] = p
		}
		for _, p := range paths[keep:] {
			long = long.Delete(p...)
		}
		for _, p := range paths {
			if _, ok := want[keyOf(p)]; ok {
				long = long.Set(Leaf([]byte("v")), p...)
			} else if n, _ := long.Get(p[:2]...); n.Len() == 0 {
				long = long.Delete(p[:2]...)
			}
		}
		short := kept
		for _, k := range slices.Backward(slices.Sorted(maps.Keys(want))) {
			short = short.Set(Leaf([]byte("v")), want[k]...)
		}
		if long.Root() != short.Root() {
			t.Fatalf("two histories of one contents: %x and %x", long.Root(), short.Root())
		}
	})
}

func TestMapIsTheSameAsSettingEntryByEntry(t *testing.T) {
	for _, n := range []int{0, 1, 2, 31, 32, 33, 34, 200} {
		var es []Entry
		tr := Tree{}
		for i := range n {
			l := Label(fmt.Sprint(i * 7919 % 1000))
			es = append(es, Entry{l, Leaf([]byte(l))})
			tr = tr.Set(Leaf([]byte(l)), l)
		}
		m := Map(es...)
		if m.Hash() != tr.Root() || m.Len() != n || TreeOf(m).Root() != tr.Root() {
			t.Errorf("%d entries: Map and Set differ", n)
		}
	}
}

func TestAnOldVersionStaysAsItWas(t *testing.T) {
	tr := Tree{}
	var versions []Tree
	var roots [][32]byte
	for i := range 200 {
		tr = tr.Set(Leaf([]byte{byte(i)}), "canister", Label(fmt.Sprint(i*31%97)), "f")
		versions, roots = append(versions, tr), append(roots, tr.Root())
	}
	for i, v := range versions {
		if rootOf(t, v) != roots[i] {
			t.Fatalf("version %d has changed", i)
		}
	}
}

func TestMisuseOfATreePanicsWithWhatAndWhere(t *testing.T) {
	leafAtA := Tree{}.Set(Leaf(nil), "a")
	for want, misuse := range map[string]func(){
		"set /a/b: there is a value at /a": func() { leafAtA.Set(Leaf(nil), "a", "b") },
		"label x is twice":                 func() { Map(Entry{"x", Leaf(nil)}, Entry{"x", Map()}) },
		"is a map, not a value":            func() { Tree{}.Set(Leaf(nil)) },
		"at most 127 labels":               func() { Tree{}.Set(Leaf(nil), make(Path, 128)...) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panic %q, want %q in it", got, want)
				}
			}()
			misuse()
		}()
	}
}

func TestExpandNamesWhatAReaderMaySeeUnderAPrefix(t *testing.T) {
	n := newNetwork()
	tr := n.otherAt.Tree()
	open := func(p Path) bool { return p[len(p)-1] != "canister_ranges" }
	got := tr.Expand(Path{"subnet"}, open)
	want := []Path{SubnetPath(n.rootID, "public_key"), SubnetPath(n.otherID, "public_key")}
	slices.SortFunc(want, comparePaths)
	if !slices.EqualFunc(got, want, func(a, b Path) bool { return comparePaths(a, b) == 0 }) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := tr.Expand(Path{"nowhere"}, open); len(got) != 1 || comparePaths(got[0], Path{"nowhere"}) != 0 {
		t.Errorf("got %v for a prefix that leads nowhere", got)
	}
	h := tr.Prune(got...)
	if _, status := h.Lookup(SubnetPath(n.otherID, "canister_ranges")...); status != Unknown {
		t.Errorf("what was not kept is %s", status)
	}
}
