package state

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
)

func TestNumbersLeaveRangesAndComeBack(t *testing.T) {
	ids := Ids{Ranges: []Range{{5, 9}}}
	for _, n := range []uint64{5, 9, 7} {
		ids.Remove(n)
		if ids.Hosts(principal.Canister(n)) {
			t.Errorf("%d is still there: %v", n, ids.Ranges)
		}
	}
	if want := []Range{{6, 6}, {8, 8}}; !slices.Equal(ids.Ranges, want) {
		t.Errorf("left are %v, want %v", ids.Ranges, want)
	}
	ids.Remove(6)
	for _, n := range []uint64{7, 9, 5, 6, 20} {
		ids.Include(n)
		if !ids.Hosts(principal.Canister(n)) {
			t.Errorf("%d is not there: %v", n, ids.Ranges)
		}
	}
	if want := []Range{{5, 9}, {20, 20}}; !slices.Equal(ids.Ranges, want) {
		t.Errorf("there are %v, want %v", ids.Ranges, want)
	}
}
