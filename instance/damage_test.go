package instance_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/contain"
)

// damageRuns is how many runs the suite makes; make check-damage makes many more than the test of each commit.
var (
	damageRuns  = flag.Int("damage-runs", 60, "`N` runs of the damage suite, and with -damage-all those at each record header and byte of small files")
	damageAll   = flag.Bool("damage-all", false, "damage each record header, and each byte of small files")
	damageSeed  = flag.Uint64("damage-seed", 1, "`SEED` of what the damage suite draws")
	damageSkip  = flag.Int("damage-skip", 0, "leave out the first `N` runs of -damage-runs and -damage-all, to go on where an earlier run of the suite ended")
	damageTrace = flag.Bool("damage-trace", false, "print each run of the damage suite before it begins")
)

// leastDamageRuns is how many runs are always made.
const leastDamageRuns = 60

// TestDamageIsAnErrorOfItsInstanceAndTheOthersGoOn damages the files of an instance in the middle of what a daemon does.
// A run ends well if nothing panics, an error names the instance or its directory, and the other instances answer.
func TestDamageIsAnErrorOfItsInstanceAndTheOthersGoOn(t *testing.T) {
	s := newDamageStage(t)
	random := rand.New(rand.NewPCG(*damageSeed, 0))
	cases := s.drawn(random, *damageRuns)
	if *damageAll {
		cases = append(cases, s.everyByte(random)...)
	}
	cases = cases[min(*damageSkip, len(cases)):]
	t.Logf("%d runs are to be made", len(cases))
	made, refused := 0, 0
	for i := range cases {
		c := &cases[i]
		if *damageTrace {
			fmt.Println(c)
		}
		for _, err := range s.run(t, c) {
			refused++
			if bug, ok := errors.AsType[*contain.Bug](err); ok || err != nil && strings.Contains(err.Error(), "bug:") {
				t.Errorf("%s: a bug: %v (%v)", c, err, bug)
			}
			if !strings.Contains(err.Error(), c.dir) && !strings.Contains(err.Error(), fmt.Sprintf("%q", c.instance)) {
				t.Errorf("%s: an error that names neither the instance nor its directory: %v", c, err)
			}
		}
		made++
	}
	// A flip of a byte of a sidecar file is repaired silently, and most runs of -damage-all are such flips.
	few := *damageSkip == 0 && (made < leastDamageRuns || !*damageAll && refused < made/8)
	if made < len(cases) || few || s.damaged < made*9/10 {
		t.Errorf("%d runs were made, want %d and at least %d; %d files were damaged, and %d errors came of that", made, len(cases), leastDamageRuns, s.damaged, refused)
	}
	t.Logf("%d runs, %d errors", made, refused)
}
