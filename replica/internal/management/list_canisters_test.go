package management

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
)

func TestAListOfCanistersCostsForEachCanisterAndNotForEachRange(t *testing.T) {
	r := newRig(t)
	r.st.Administered, r.st.Admins = true, []principal.Principal{bob}
	for i, instructions := range []uint64{20_016_000, 20_032_000, 20_048_000} {
		last := r.target.ID()
		if i > 0 {
			last = r.add(uint64(40+i), alice).ID()
		}
		var out canistersResult
		a := r.facade.Query(r.byUser(bob, "list_canisters"))
		if r.read(a, &out); a.Instructions != instructions {
			t.Errorf("a list of %d canisters costs %d instructions, want %d", i+1, a.Instructions, instructions)
		}
		if !slices.Equal(out.Canisters, []idRange{{r.target.ID(), last}}) {
			t.Errorf("%d canisters are listed as %v", i+1, out.Canisters)
		}
	}
}
