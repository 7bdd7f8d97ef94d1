package certify

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/fxamacker/cbor/v2"
)

// labeled is a tree of nodes within each other, the innermost given.
func labeled(depth int, inner []byte) []byte {
	return append(bytes.Repeat([]byte{0x83, 2, 0x41, 'a'}, depth), inner...)
}

// full is a tree of 2^(height+1)-1 nodes.
func full(height int) []byte {
	if height == 0 {
		return []byte{0x81, 0}
	}
	half := full(height - 1)
	return append(append([]byte{0x83, 1}, half...), half...)
}

func TestEachLimitLetsTheMostThroughAndRefusesOneMore(t *testing.T) {
	tree := func(encoded []byte) error {
		_, err := DecodeHashTree(encoded)
		return err
	}
	largest := full(17) // 262,143 nodes
	for name, c := range map[string]struct {
		most  int
		words string
		do    func(n int) error
		other string // the error of the most, where it is not read for another reason
	}{
		"a tree nests": {512, "it nests deeper than 512", func(n int) error { return tree(labeled(n-1, []byte{0x81, 0})) }, ""},
		"a tree has nodes": {262_144, "it has more than 262144 nodes", func(n int) error {
			return tree(labeled(n-262_143, largest))
		}, ""},
		"a certificate has bytes": {8_388_608, "it has 8388609 bytes; at most 8388608 are read", func(n int) error {
			_, err := DecodeCertificate(make([]byte, n))
			return err
		}, "read a certificate: "},
		"there are ranges": {65_536, "65537 of them; at most 65536 fit", func(n int) error {
			_, err := DecodeRanges(append(AppendHead(nil, majorArray, uint64(n)), make([]byte, 70_000)...))
			return err
		}, "read canister range 0: "},
		"there are controllers": {10, "11 of them; a canister has at most 10", func(n int) error {
			_, err := DecodeControllers(EncodeControllers(make([]principal.Principal, n)))
			return err
		}, ""},
	} {
		switch err := c.do(c.most); {
		case err == nil && c.other == "":
		case err != nil && c.other != "" && strings.HasPrefix(err.Error(), c.other) && !strings.Contains(err.Error(), "at most"):
		default:
			t.Errorf("%s, %d times: %v", name, c.most, err)
		}
		if err := c.do(c.most + 1); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s, %d times: got %v, want %q", name, c.most+1, err, c.words)
		}
	}
}

func TestAMapIsSplitByBitsAbove32Labels(t *testing.T) {
	// Each label is the beginning of the next, so bits split off one at a time.
	for labels, forks := range map[int]int{32: 5, 33: 6, 34: 7, 42: 15} {
		var entries []Entry
		for i := range labels {
			entries = append(entries, Entry{Label(make([]byte, i+1)), Leaf(nil)})
		}
		if got := forksOf(Map(entries...)); got != forks {
			t.Errorf("%d labels lie below %d forks, want %d", labels, got, forks)
		}
	}
}

func TestTheLibraryOfAgentsReadsSoManyLevels(t *testing.T) {
	nested := func(levels int) []byte { return append(bytes.Repeat([]byte{0x81}, levels), 0) }
	var v any
	if err := cbor.Unmarshal(nested(MaxNesting), &v); err != nil {
		t.Error(err)
	}
	if err := cbor.Unmarshal(nested(MaxNesting+1), &v); err == nil {
		t.Error("it reads more levels")
	}
}
