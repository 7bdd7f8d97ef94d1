package certify

import (
	"bytes"
	"encoding/hex"
	"testing"

	"pgregory.net/rapid"
)

const (
	exampleTree   = "8301830183024161830183018302417882034568656c6c6f810083024179820345776f726c6483024162820344676f6f648301830241638100830241648203476d6f726e696e67"
	examplePruned = "83018301830241618301820458201b4feff9bef8131788b0c9dc6dbad6e81e524249c879e9f10f71ce3749f5a63883024179820345776f726c6483024162820458207b32ac0c6ba8ce35ac82c255fc7906f7fc130dab2a090f80fe12f9c2cae83ba6830182045820ec8324b8a1f1ac16bd2e806edba78006479c9877fed4eb464a25485465af601d830241648203476d6f726e696e67"
	exampleRoot   = "eb5c5b2195e62d996b84c9bcc8259d19a83786a2f59e0878cec84c811f669aa0"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decodeTree(t testing.TB, encoded []byte) *HashTree {
	t.Helper()
	h, err := DecodeHashTree(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestTheSpecificationsExampleTreeHasItsRootPrunedOrNot(t *testing.T) {
	for _, encoded := range []string{exampleTree, examplePruned} {
		h := decodeTree(t, unhex(t, encoded))
		if root := h.Root(); hex.EncodeToString(root[:]) != exampleRoot {
			t.Errorf("root %x, want %s", root, exampleRoot)
		}
		if again := hex.EncodeToString(h.Append(nil)); again != encoded {
			t.Errorf("encodes as %s, want %s", again, encoded)
		}
	}
}

func TestLookupsInTheSpecificationsPrunedTree(t *testing.T) {
	h := decodeTree(t, unhex(t, examplePruned))
	for _, c := range []struct {
		path   Path
		status LookupStatus
		value  string
	}{
		{Path{"a", "a"}, Unknown, ""},
		{Path{"a", "y"}, Found, "world"},
		{Path{"aa"}, Absent, ""},
		{Path{"ax"}, Absent, ""},
		{Path{"b"}, Unknown, ""},
		{Path{"bb"}, Unknown, ""},
		{Path{"d"}, Found, "morning"},
		{Path{"e"}, Absent, ""},
		{Path{"a"}, NotAValue, ""},
		{Path{"d", "x"}, Absent, ""},
		{Path{}, NotAValue, ""},
	} {
		value, status := h.Lookup(c.path...)
		if status != c.status || string(value) != c.value {
			t.Errorf("lookup %s = %s %q, want %s %q", c.path, status, value, c.status, c.value)
		}
	}
}

func exampleData() Tree {
	return Tree{}.
		Set(Leaf([]byte("hello")), "a", "x").
		Set(Leaf([]byte("world")), "a", "y").
		Set(Leaf([]byte("good")), "b").
		Set(Map(), "c").
		Set(Leaf([]byte("morning")), "d")
}

func TestPruningTheExampleDataAnswersAsTheSpecificationSays(t *testing.T) {
	tr := exampleData()
	h := tr.Prune(Path{"a", "y"}, Path{"ax"}, Path{"d"})
	if h.Root() != tr.Root() {
		t.Fatal("the pruned tree has another root")
	}
	for _, c := range []struct {
		path   Path
		status LookupStatus
	}{
		{Path{"a", "a"}, Unknown},
		{Path{"a", "y"}, Found},
		{Path{"aa"}, Absent},
		{Path{"ax"}, Absent},
		{Path{"b"}, Unknown},
		{Path{"bb"}, Unknown},
		{Path{"d"}, Found},
		{Path{"e"}, Absent},
	} {
		if _, status := h.Lookup(c.path...); status != c.status {
			t.Errorf("lookup %s = %s, want %s", c.path, status, c.status)
		}
	}
}

func TestAWitnessAnswersForItsPathsAsTheTreeDoesAndForNoOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := Tree{}
		for range rapid.IntRange(0, 200).Draw(t, "entries") {
			p := drawPath(t)
			tr = tr.Set(Leaf([]byte(keyOf(p))), p...)
		}
		asked := rapid.SliceOfN(rapid.Custom(drawPath), 0, 6).Draw(t, "asked")
		for i := range asked {
			asked[i] = asked[i][:rapid.IntRange(1, 3).Draw(t, "labels")]
		}
		h := tr.Prune(asked...)
		if h.Root() != tr.Root() {
			t.Fatal("the witness has another root")
		}
		whole := tr.Prune(Path{})
		for _, p := range asked {
			value, status := h.Lookup(p...)
			wantValue, want := whole.Lookup(p...)
			if status != want || !bytes.Equal(value, wantValue) {
				t.Fatalf("asked %s: the witness says %s %q, the tree %s %q", p, status, value, want, wantValue)
			}
		}
		for _, p := range h.Paths() {
			if !coveredBy(p, asked) {
				t.Fatalf("the witness reveals %s, which was not asked for (%v)", p, asked)
			}
		}
		tr.Walk(func(p Path, v []byte) bool {
			if coveredBy(p, asked) {
				if value, status := h.Lookup(p...); status != Found || !bytes.Equal(value, v) {
					t.Fatalf("%s is under what was asked, but lookup says %s", p, status)
				}
			}
			return true
		})
	})
}

func TestWhatStandsBesideTwoThatAreAbsentMayBeAskedForToo(t *testing.T) {
	tr := Tree{}.Set(Leaf([]byte("first")), "m", "a", "f").Set(Leaf([]byte("last")), "m", "d", "f")
	h := tr.Prune(Path{"m", "b"}, Path{"m", "c"}, Path{"m", "d"})
	for _, absent := range []Label{"b", "c"} {
		if _, status := h.Lookup("m", absent); status != Absent {
			t.Errorf("%s is %s, want Absent", absent, status)
		}
	}
	if value, status := h.Lookup("m", "d", "f"); status != Found || string(value) != "last" {
		t.Errorf("d is %s %q, want its value", status, value)
	}
}

func coveredBy(p Path, asked []Path) bool {
	for _, a := range asked {
		if len(a) <= len(p) && comparePaths(a, p[:len(a)]) == 0 {
			return true
		}
	}
	return false
}

func TestAWitnessOfNoPathIsTheRootHash(t *testing.T) {
	tr := exampleData()
	if h := tr.Prune(); h.Kind != Pruned || h.Hash != tr.Root() {
		t.Errorf("got %+v", h)
	}
	if h := (Tree{}).Prune(Path{"x"}); h.Kind != Empty || h.Root() != (Tree{}).Root() {
		t.Errorf("of the empty tree: %+v", h)
	}
}

func TestAPathThroughAValueRevealsItToProveAbsence(t *testing.T) {
	h := exampleData().Prune(Path{"b", "x"})
	if _, status := h.Lookup("b", "x"); status != Absent {
		t.Errorf("lookup says %s", status)
	}
}

func TestHashTreesThatAreNotOneAreRefused(t *testing.T) {
	deep := append(bytes.Repeat([]byte{0x83, 2, 0x41, 'a'}, 10_000), 0x81, 0)
	for name, encoded := range map[string][]byte{
		"nothing":                   {},
		"a map":                     {0xa0},
		"kind 5":                    {0x82, 5, 0x40},
		"an empty of two":           {0x82, 0, 0},
		"a fork of one":             {0x82, 1, 0x81, 0},
		"a short hash":              {0x82, 4, 0x41, 1},
		"an indefinite array":       {0x9f, 0, 0xff},
		"a truncated leaf":          {0x82, 3, 0x45, 1},
		"a leaf of 2^64-1 bytes":    {0x82, 3, 0x5b, 255, 255, 255, 255, 255, 255, 255, 255},
		"something after it":        {0x81, 0, 0},
		"equal labels":              unhex(t, "8301830241618100830241618100"),
		"decreasing labels":         unhex(t, "830183024162810083024161"+"8100"),
		"a leaf beside a label":     unhex(t, "83018203416183024162"+"8100"),
		"ten thousand levels":       deep,
		"a leaf beside, in a label": unhex(t, "830241618301820341618100"),
	} {
		if h, err := DecodeHashTree(encoded); err == nil {
			t.Errorf("%s: accepted as %+v", name, h)
		}
	}
}

func FuzzDecodeHashTree(f *testing.F) {
	f.Add(unhex(f, exampleTree))
	f.Add(unhex(f, examplePruned))
	f.Add([]byte{0x81, 0})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		h, err := DecodeHashTree(encoded)
		if err != nil {
			return
		}
		again, err := DecodeHashTree(h.Append(nil))
		if err != nil || again.Root() != h.Root() {
			t.Fatalf("does not read back what it wrote: %v", err)
		}
		for _, p := range h.Paths() {
			if _, status := h.Lookup(p...); status != Found {
				t.Fatalf("lists %s but looks it up as %s", p, status)
			}
		}
	})
}
