package replica

import (
	"testing"

	"github.com/canisterd/canisterd/replica/certify"
)

// changedBy is a machine whose tree has changed by so many parts with answers of so many bytes since
// it was last made.
func changedBy(parts, bytes int) *machine {
	m := &machine{tree: certify.Tree{}, requests: make([]requestChange, parts), unproved: bytes}
	m.proof = &proof{requests: m.requests}
	return m
}

func TestTheTreeIsMadeWhereManyPartsOrBytesChangedThoughNobodyAsks(t *testing.T) {
	for _, c := range []struct {
		parts, bytes int
		made         bool
	}{
		{MaxUnproved - 1, MaxUnprovedBytes - 1, false}, {MaxUnproved, 0, true}, {1, MaxUnprovedBytes, true},
	} {
		m := changedBy(c.parts, c.bytes)
		m.rebase()
		if made := m.proof.made.Load() != nil; made != c.made || made && (m.requests != nil || m.unproved != 0) {
			t.Errorf("%d parts with %d bytes: the tree was made: %t, want %t; %d parts are left", c.parts, c.bytes, made, c.made, len(m.requests))
		}
	}
	if MaxUnproved != 16_384 || MaxUnprovedBytes != 16<<20 {
		t.Error("the bounds were changed: measure again how long the first who asks waits, and how much memory the changes take")
	}
}
