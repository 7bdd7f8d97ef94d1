package timers

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"pgregory.net/rapid"
)

// The model is a list sorted by time, stable.
func TestTheTableAgreesWithASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table
		type entry struct {
			d Deadline
			h Handle
		}
		var model, dead []entry
		n := uint64(0)
		for range rapid.IntRange(1, 200).Draw(t, "operations") {
			switch rapid.IntRange(0, 3).Draw(t, "operation") {
			case 0, 1:
				n++
				d := Deadline{At: rapid.Uint64Range(0, 20).Draw(t, "at"), Kind: CallExpiry, Number: n, Subject: principal.Canister(n)}
				model = append(model, entry{d, table.Add(d)})
				slices.SortStableFunc(model, func(a, b entry) int { return int(a.d.At) - int(b.d.At) })
			case 2:
				if len(model) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "which")
				if got, ok := table.Get(model[i].h); !ok || got != model[i].d {
					t.Fatalf("handle of %v gives %v", model[i].d, got)
				}
				if !table.Remove(model[i].h) {
					t.Fatal("a living deadline was not removed")
				}
				dead, model = append(dead, model[i]), slices.Delete(model, i, i+1)
			case 3:
				now := rapid.Uint64Range(0, 20).Draw(t, "now")
				for len(model) > 0 && model[0].d.At <= now {
					if got, ok := table.Pop(now); !ok || got != model[0].d {
						t.Fatalf("fired %v, want %v", got, model[0].d)
					}
					dead, model = append(dead, model[0]), model[1:]
				}
				if got, ok := table.Pop(now); ok {
					t.Fatalf("fired %v at %d", got, now)
				}
			}
			if table.Len() != len(model) {
				t.Fatalf("%d deadlines, want %d", table.Len(), len(model))
			}
			if at, ok := table.Next(); ok != (len(model) > 0) || ok && at != model[0].d.At {
				t.Fatalf("next is %d, %t", at, ok)
			}
		}
		for _, e := range dead {
			if table.Remove(e.h) {
				t.Fatalf("%v was removed twice", e.d)
			}
		}
	})
}

func TestAFullTableDoesNotAllocate(t *testing.T) {
	var table Table
	handles := make([]Handle, 1000)
	for i := range handles {
		handles[i] = table.Add(Deadline{At: uint64(i * 7919 % 1000)})
	}
	i := 0
	perRun := testing.AllocsPerRun(1000, func() {
		table.Remove(handles[i%1000])
		handles[i%1000] = table.Add(Deadline{At: uint64(i * 104729 % 1000)})
		i++
	})
	if perRun != 0 {
		t.Errorf("replacing a deadline allocates %.1f times", perRun)
	}
}

func TestTheZeroHandleNamesNoDeadline(t *testing.T) {
	var table Table
	table.Add(Deadline{At: 1})
	if table.Remove(0) {
		t.Error("the zero handle removed a deadline")
	}
}
