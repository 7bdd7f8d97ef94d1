package cow

import (
	"maps"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is done to a map and its forks, each has what a map of its own would have.
func TestMapsThatForkAgreeWithMapsThatAreCopied(t *testing.T) {
	type both struct {
		m     Map[int, int]
		model map[int]int
	}
	rapid.Check(t, func(t *rapid.T) {
		all := []*both{{model: make(map[int]int)}}
		for range rapid.IntRange(1, 300).Draw(t, "operations") {
			at := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			key := rapid.IntRange(0, 20).Draw(t, "key")
			switch rapid.IntRange(0, 5).Draw(t, "operation") {
			case 0, 1, 2:
				value := rapid.Int().Draw(t, "value")
				at.m.Set(key, value)
				at.model[key] = value
			case 3, 4:
				at.m.Delete(key)
				delete(at.model, key)
			case 5:
				if len(all) < 6 {
					all = append(all, &both{at.m.Fork(), maps.Clone(at.model)})
				}
			}
			for _, b := range all {
				if b.m.Len() != len(b.model) {
					t.Fatalf("%d entries, want %d", b.m.Len(), len(b.model))
				}
				for key := range 21 {
					got, ok := b.m.Get(key)
					if want, found := b.model[key]; ok != found || got != want {
						t.Fatalf("under %d is %d, %t, want %d, %t", key, got, ok, want, found)
					}
				}
			}
		}
	})
}

func TestListsThatForkAgreeWithListsThatAreCopied(t *testing.T) {
	type both struct {
		l     List[int]
		model []int
	}
	rapid.Check(t, func(t *rapid.T) {
		all := []*both{{}}
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			at := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			value := rapid.Int().Draw(t, "value")
			switch rapid.IntRange(0, 5).Draw(t, "operation") {
			case 0, 1:
				for i := range rapid.IntRange(1, 2*pageLen).Draw(t, "many") {
					at.l.Push(value + i)
					at.model = append(at.model, value+i)
				}
			case 2:
				for range min(len(at.model), rapid.IntRange(1, 2*pageLen).Draw(t, "many")) {
					if got := at.l.Pop(); got != at.model[0] {
						t.Fatalf("%d was first, want %d", got, at.model[0])
					}
					at.model = at.model[1:]
				}
			case 3:
				if len(at.model) > 0 {
					i := rapid.IntRange(0, len(at.model)-1).Draw(t, "at")
					at.l.Set(i, value)
					at.model[i] = value
				}
			case 4:
				if len(all) < 6 {
					all = append(all, &both{at.l.Fork(), slices.Clone(at.model)})
				}
			case 5:
				for range min(len(at.model), rapid.IntRange(1, 2*pageLen).Draw(t, "many")) {
					last := len(at.model) - 1
					if got := at.l.PopLast(); got != at.model[last] {
						t.Fatalf("%d was last, want %d", got, at.model[last])
					}
					at.model = at.model[:last]
				}
			}
			for _, b := range all {
				if b.l.Len() != len(b.model) {
					t.Fatalf("%d values, want %d", b.l.Len(), len(b.model))
				}
				for i, want := range b.model {
					if got := b.l.At(i); got != want {
						t.Fatalf("value %d is %d, want %d", i, got, want)
					}
				}
			}
		}
	})
}

// A fork of much of which little has changed copies what has changed.
func TestAForkCopiesWhatHasChangedAndNoMore(t *testing.T) {
	var m Map[int, int]
	var l List[int]
	for i := range 10_000 {
		m.Set(i, i)
		l.Push(i)
	}
	kept := m.Fork()
	for i := range 10 {
		kept.Delete(i)
		kept.Set(20_000+i, i)
	}
	for _, what := range []struct {
		name string
		fork func()
	}{
		{"map", func() { f := m.Fork(); f.Set(1, 2) }},
		{"changed map", func() { f := kept.Fork(); f.Set(1, 2) }},
		{"list", func() { f := l.Fork(); f.Set(1, 2) }},
	} {
		if bytes := allocated(what.fork); bytes > 8<<10 {
			t.Errorf("a fork of a %s of 10,000 takes %d bytes", what.name, bytes)
		}
	}
}

// allocated is the mean of what something allocates, bytes.
func allocated(do func()) uint64 {
	const runs = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		do()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / runs
}

// A map drops its base once all entries were replaced, and a map whose forks change much does not grow beyond its
// entries.
func TestNothingIsKeptThatIsGone(t *testing.T) {
	var m Map[int, int]
	for i := range 100 {
		m.Set(i, i)
	}
	m.Fork()
	for i := range 100 {
		m.Delete(i)
	}
	if m.base != nil || m.gone != nil || m.Len() != 0 {
		t.Errorf("of nothing %d entries are below, %d gone", len(m.base), len(m.gone))
	}
	for round := range 50 {
		m.Set(round, round)
		m.Delete(round - 5)
		m.Fork()
		if held := len(m.own) + len(m.base) + len(m.gone); held > 2*m.Len()+2 {
			t.Fatalf("%d keys are held for %d entries", held, m.Len())
		}
	}
}

func TestAQueueThatMovesOnDoesNotAllocate(t *testing.T) {
	var l List[int]
	for i := range 100 {
		l.Push(i)
	}
	if n := testing.AllocsPerRun(10_000, func() { l.Push(l.Pop()) }); n != 0 {
		t.Errorf("an item allocates %.2f times", n)
	}
	for l.Len()%pageLen != 0 {
		l.Push(1)
	}
	if n := testing.AllocsPerRun(10_000, func() { l.Push(1); l.PopLast() }); n != 0 {
		t.Errorf("an item at the end allocates %.2f times", n)
	}
}
