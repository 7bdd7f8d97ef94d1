package timers

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is done to a table and its forks, each has what a table of its own would have,
// under handles that stay good.
func TestForksDoNotNoticeEachOther(t *testing.T) {
	type one struct {
		table *Table
		model map[Handle]Deadline
	}
	rapid.Check(t, func(t *rapid.T) {
		all := []one{{new(Table), make(map[Handle]Deadline)}}
		for number := range rapid.Uint64Range(1, 80).Draw(t, "operations") {
			at := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			switch rapid.IntRange(0, 4).Draw(t, "operation") {
			case 0, 1:
				d := Deadline{At: rapid.Uint64Range(0, 20).Draw(t, "at"), Number: number}
				at.model[at.table.Add(d)] = d
			case 2, 3:
				pending := at.table.All()
				if len(pending) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(pending)-1).Draw(t, "pending")
				for h, d := range at.model {
					if d == pending[i].Deadline && !at.table.Remove(h) {
						t.Fatalf("%v cannot be removed", d)
					}
				}
				maps.DeleteFunc(at.model, func(_ Handle, d Deadline) bool { return d == pending[i].Deadline })
				if d, ok := at.table.Pop(20); ok {
					maps.DeleteFunc(at.model, func(_ Handle, known Deadline) bool { return d == known })
				}
			case 4:
				if len(all) < 5 {
					f := at.table.Fork()
					all = append(all, one{&f, maps.Clone(at.model)})
				}
			}
			for _, o := range all {
				var want, got []uint64
				for h, d := range o.model {
					want = append(want, d.Number)
					if there, ok := o.table.Get(h); !ok || there != d {
						t.Fatalf("handle of %v gives %v", d, there)
					}
				}
				for _, d := range o.table.All() {
					got = append(got, d.Number)
				}
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(got, want) || o.table.Len() != len(want) {
					t.Fatalf("deadlines %d, want %d", got, want)
				}
			}
		}
	})
}
