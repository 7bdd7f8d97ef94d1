package state

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// indexed is an index with the numbers of the messages in it.
type indexed struct {
	index   idIndex
	numbers map[RequestID]uint64
}

// finds reports whether a message is among those with its hash.
func (x *indexed) finds(id *RequestID, number uint64) bool {
	hash := hashOf(id)
	for found, after := x.index.next(hash, uint(hash)); found != 0; found, after = x.index.next(hash, after) {
		if found == number {
			return true
		}
	}
	return false
}

// Many ids have the same hash, or hashes next to each other, also across the end of the table. Forks change too.
func TestMessagesWithEqualHashesAreFoundByTheirIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) RequestID {
			return RequestID{0: rapid.ByteRange(0, 3).Draw(t, "hashed"), 31: rapid.ByteRange(0, 200).Draw(t, "not hashed")}
		}), 1, 200, func(id RequestID) RequestID { return id }).Draw(t, "ids")
		all := []*indexed{{numbers: make(map[RequestID]uint64)}}
		for range rapid.IntRange(1, 400).Draw(t, "operations") {
			x := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			if len(all) < 3 && rapid.IntRange(0, 50).Draw(t, "fork") == 0 {
				all = append(all, &indexed{x.index.fork(), maps.Clone(x.numbers)})
			}
			at := rapid.IntRange(0, len(ids)-1).Draw(t, "id")
			id, number := ids[at], uint64(at+1)
			if x.numbers[id] != 0 {
				x.index.remove(&id, number)
				delete(x.numbers, id)
			} else {
				x.index.add(&id, number)
				x.numbers[id] = number
			}
		}
		for _, x := range all {
			if x.index.n != len(x.numbers) {
				t.Fatalf("the index has %d messages, want %d", x.index.n, len(x.numbers))
			}
			for at, id := range ids {
				if found, want := x.finds(&id, uint64(at+1)), x.numbers[id] != 0; found != want {
					t.Fatalf("message %d of %d is found: %t, want %t", at, len(ids), found, want)
				}
			}
		}
	})
}
