package replica

import (
	"testing"
)

// changedBy is a subnet whose tree has a number of changed parts, with answers of a given size, since it was last made.
func changedBy(parts, bytes int) *subnet {
	n := &Network{index: new(readIndex)}
	n.views = &Views{network: n}
	m := &subnet{net: n}
	m.record.requests.list = make([]requestChange, parts)
	m.record.bytes = bytes
	return m
}

func TestTheTreeIsBuiltWithoutAReaderAfterManyChanges(t *testing.T) {
	for _, c := range []struct {
		parts, bytes int
		made         bool
	}{
		{MaxUnstaged - 1, MaxUnstagedBytes - 1, false}, {MaxUnstaged, 0, true}, {1, MaxUnstagedBytes, true},
	} {
		m := changedBy(c.parts, c.bytes)
		m.rebase()
		if _, made := m.record.base.Get("request_status"); made != c.made || made && (len(m.record.requests.list) != 0 || m.record.bytes != 0) {
			t.Errorf("%d parts with %d bytes: the tree was made: %t, want %t; %d parts are left", c.parts, c.bytes, made, c.made, len(m.record.requests.list))
		}
	}
	if MaxUnstaged != 16_384 || MaxUnstagedBytes != 16<<20 {
		t.Error("the bounds were changed: measure again how long the first who asks waits, and how much memory the changes take")
	}
}
