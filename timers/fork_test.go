package timers

import (
	"maps"
	"runtime"
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
					if found, ok := o.table.Get(h); !ok || found != d {
						t.Fatalf("handle of %v gives %v", d, found)
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

// A fork copies the pages that it writes, not the table.
func TestAForkOfManyDeadlinesCopiesLittle(t *testing.T) {
	var table Table
	var handles []Handle
	for i := range 40_000 {
		handles = append(handles, table.Add(Deadline{At: uint64(i)}))
	}
	const forks = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range forks {
		f := table.Fork()
		f.Add(Deadline{At: 50_000})
		f.Remove(handles[20_000])
	}
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / forks; bytes > 64<<10 {
		t.Errorf("a fork that adds and removes a deadline of 40,000 allocates %d bytes, want at most 64 KiB", bytes)
	}
}

// Deadlines that are removed leave keys in the queue: they are never more than those of the others and a few.
func TestRemovedDeadlinesLeaveLittleBehind(t *testing.T) {
	var table Table
	for i := range uint64(1000) {
		table.Add(Deadline{At: i})
	}
	for i := range uint64(100_000) {
		if !table.Remove(table.Add(Deadline{At: 2000 + i})) {
			t.Fatal("a deadline cannot be removed")
		}
		if table.queue.n > 2*table.Len()+mostDead+1 {
			t.Fatalf("%d keys for %d deadlines", table.queue.n, table.Len())
		}
	}
	for i := range uint64(1000) {
		if d, ok := table.Pop(200_000); !ok || d.At != i {
			t.Fatalf("popped %v, want the deadline at %d", d, i)
		}
	}
	if _, ok := table.Pop(200_000); ok || table.Len() != 0 {
		t.Error("a removed deadline fired")
	}
}
