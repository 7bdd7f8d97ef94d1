package timers

import "testing"

func TestTheFirstOfAKindIsTheEarliest(t *testing.T) {
	var table Table
	timer := func(k Kind) bool { return k == GlobalTimer }
	if at, ok := table.First(timer); ok {
		t.Errorf("an empty table has one at %d", at)
	}
	for _, d := range []Deadline{{At: 1, Kind: Charge}, {At: 9, Kind: GlobalTimer}, {At: 0, Kind: CallExpiry}, {At: 5, Kind: GlobalTimer}, {At: 7, Kind: GlobalTimer}} {
		table.Add(d)
	}
	if at, ok := table.First(timer); !ok || at != 5 {
		t.Errorf("got %d, %t", at, ok)
	}
}
