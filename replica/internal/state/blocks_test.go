package state

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
)

func TestOnlyTheBlocksOfTheLastSixtyDaysThatAreOverAreKept(t *testing.T) {
	b := NewBlocks([]principal.Principal{principal.Canister(1), principal.Canister(2)})
	const days = 100
	height := uint64(0)
	for day := range uint64(days) {
		for hour := range uint64(24) {
			height++
			b.Add(day*dayNanoseconds+hour*dayNanoseconds/24+1, height)
		}
	}
	all := b.Since(0)
	if len(all) != 60 {
		t.Fatalf("%d days are kept, want 60", len(all))
	}
	for i, day := range all {
		number := uint64(days - 1 - 60 + i)
		if last := number*dayNanoseconds + dayNanoseconds/24*23 + 1; day.Time != last {
			t.Errorf("day %d has time %d, want that of its last round, %d", number, day.Time, last)
		}
		for n, made := range day.Made {
			if made != (number+1)*12 {
				t.Errorf("day %d: node %s has made %d blocks, want %d", number, b.Nodes[n], made, (number+1)*12)
			}
		}
	}
	if from := b.Since(all[5].Time); len(from) != 55 || from[0].Time != all[5].Time {
		t.Errorf("since the sixth day: %d days from %d", len(from), from[0].Time)
	}
	if b.Since(all[59].Time+1) != nil {
		t.Error("the day that is not over is shown")
	}
}
