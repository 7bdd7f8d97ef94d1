package canister

import "testing"

func TestDurationsFallIntoTheirBuckets(t *testing.T) {
	var d durations
	for i, bound := range CommitBounds() {
		d.add(bound)
		d.add(bound + 1)
		if got := d.read().Counts; got[i] == 0 || got[i+1] == 0 {
			t.Errorf("%d and %d ns are not on both sides of bound %d: %v", bound, bound+1, i, got)
		}
	}
	d.add(-1)
	d.add(1 << 62)
	all := d.read()
	if all.Counts[0] != 2 || all.Counts[commitBuckets] != 2 {
		t.Errorf("the first and the last bucket have %v", all.Counts)
	}
	var sum Durations
	sum.Add(&all)
	sum.Add(&all)
	if sum.Sum != 2*all.Sum || sum.Counts[3] != 2*all.Counts[3] {
		t.Errorf("twice %+v is %+v", all, sum)
	}
}
