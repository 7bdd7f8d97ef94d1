package profile_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/canisterd/canisterd/internal/profile"
)

func TestATreeTakes14MiBAndTheNodesOfAProfileHalfOf20(t *testing.T) {
	if size := unsafe.Sizeof(profile.Node{}) * profile.MaxTreeNodes; size != 14<<20 {
		t.Errorf("a full tree takes %d bytes", size)
	}
	if size := unsafe.Sizeof(profile.Place{}) * profile.MaxNodes; size != 10<<20 {
		t.Errorf("the nodes of a full profile take %d bytes", size)
	}
}

func TestAFullProfileCountsInTheNodeAboveAndStillFindsItsNodes(t *testing.T) {
	const nodes = 1 << 18
	var p profile.Profile
	at := profile.Root
	for range nodes - 1 {
		at = p.Below(at, profile.Symbol{Name: "f"})
	}
	if len(p.Nodes) != nodes || p.Folded != 0 {
		t.Fatalf("a profile of %d nodes has %d nodes, and %d frames without one", nodes, len(p.Nodes), p.Folded)
	}
	if got := p.Below(at, profile.Symbol{Name: "g"}); got != at || p.Folded != 1 || len(p.Symbols) != 2 {
		t.Errorf("a full profile makes node %d, and has %d frames without one and %d symbols", got, p.Folded, len(p.Symbols))
	}
	if got := p.Below(profile.Root, profile.Symbol{Name: "f"}); got != 1 || p.Folded != 1 {
		t.Errorf("a full profile finds node %d in place of 1", got)
	}
	awaits := p.Add(at, calling(), symbolsOf(bank))
	if len(awaits) != 1 || awaits[0] != at || p.Folded != 3 {
		t.Errorf("the calls of a run without room are at %v, and %d frames have no node", awaits, p.Folded)
	}
	if n := p.Nodes[at]; n.Instructions != 35 || n.Calls != 0 {
		t.Errorf("the node above has %d instructions and %d calls, want 35 and none", n.Instructions, n.Calls)
	}
}

func TestANameIsCutTo1024BytesOfWholeCharacters(t *testing.T) {
	for _, c := range []struct {
		name string
		want int
	}{
		{strings.Repeat("x", 1024), 1024},
		{strings.Repeat("x", 1025), 1024},
		{strings.Repeat("x", 1023) + "é", 1023},
		{strings.Repeat("x", 1022) + "é", 1024},
		{strings.Repeat("x", 1021) + "\U0001f980", 1021},
	} {
		var p profile.Profile
		first := p.Below(profile.Root, profile.Symbol{Name: c.name, Entry: c.name})
		if again := p.Below(profile.Root, profile.Symbol{Name: c.name, Entry: c.name}); again != first || len(p.Symbols) != 2 {
			t.Errorf("a name of %d bytes has two nodes", len(c.name))
		}
		if s := p.Symbols[1]; s.Name != c.name[:c.want] || s.Entry != c.name[:c.want] {
			t.Errorf("a name of %d bytes is cut to %d and %d, want %d", len(c.name), len(s.Name), len(s.Entry), c.want)
		}
	}
}

func TestTheNamesOfAProfileHave8MiBTogether(t *testing.T) {
	const names = 8 << 10 // of 1 KiB
	var p profile.Profile
	name := strings.Repeat("x", profile.MaxNameBytes)
	for i := range uint32(names) {
		p.Below(profile.Root, profile.Symbol{Name: name, Index: i})
	}
	if p.Folded != 0 || len(p.Symbols) != names+1 {
		t.Fatalf("%d names of 1 KiB make %d symbols", names, len(p.Symbols)-1)
	}
	for _, of := range []*profile.Profile{&p, p.Clone()} {
		if at := of.Below(profile.Root, profile.Symbol{Name: "y"}); at != profile.Root || of.Folded != 1 || len(of.Symbols) != names+1 {
			t.Errorf("a name without room makes node %d and %d symbols", at, len(of.Symbols)-1)
		}
		if at := of.Below(1, profile.Symbol{Name: name, Index: 5}); at == 1 || of.Folded != 1 {
			t.Error("a name that is known has no room")
		}
	}
}
