package cow

import "testing"

func TestEachSideOfAForkCopiesOnceBeforeItWrites(t *testing.T) {
	var source Mark
	if source.Own() {
		t.Error("content that was never shared is copied")
	}
	source.Share()
	fork := source
	for i, side := range []*Mark{&source, &fork} {
		if first, second := side.Own(), side.Own(); !first || second {
			t.Errorf("side %d copies before its first write: %t, before its second: %t", i, first, second)
		}
	}
	source.Share()
	if !source.Own() {
		t.Error("content that was shared again is not copied")
	}
}
