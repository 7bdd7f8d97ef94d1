package intercanister

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
)

func TestPairsInListsAndMapsAreFoundByTheOtherCanister(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s pairs
		want := make(map[principal.Principal]*pair)
		for range rapid.IntRange(0, 200).Draw(t, "operations") {
			other := principal.Canister(rapid.Uint64Range(0, 12).Draw(t, "other"))
			if known := want[other]; known != nil {
				s.remove(known)
				delete(want, other)
			} else {
				want[other] = &pair{other: other}
				s.add(want[other])
			}
			if rapid.IntRange(0, 20).Draw(t, "fork") == 0 {
				s = s.fork()
				for p := range s.all() {
					want[p.other] = p
				}
			}
		}
		got := make(map[principal.Principal]*pair)
		for p := range s.all() {
			got[p.other] = p
		}
		if s.n != len(want) || !maps.Equal(got, want) {
			t.Fatalf("there are %d pairs, %v, want %v", s.n, got, want)
		}
		for n := range uint64(13) {
			if other := principal.Canister(n); s.of(other) != want[other] {
				t.Fatalf("the pair with %s is %v, want %v", other, s.of(other), want[other])
			}
		}
	})
}
