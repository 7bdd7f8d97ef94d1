package component

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// everyOrder runs a program with each sequence of choices, and gives how many there are.
func everyOrder(t *testing.T, limit int, run func(s Scheduler)) int {
	var prefix []int
	for runs := 1; ; runs++ {
		if runs > limit {
			t.Fatalf("more than %d orders", limit)
		}
		var counts []int
		run(chooser(func(_ ChoiceKind, options []Option) int {
			n := len(counts)
			counts = append(counts, len(options))
			if n == len(prefix) {
				prefix = append(prefix, 0)
			}
			return prefix[n]
		}))
		last := len(prefix) - 1
		for ; last >= 0 && prefix[last] == counts[last]-1; last-- {
			prefix = prefix[:last]
		}
		if last < 0 {
			return runs
		}
		prefix[last]++
	}
}

func TestEveryOrderOfThreeCallsIsReached(t *testing.T) {
	c := compiled(t, "waiting")
	found := map[string]bool{}
	orders := everyOrder(t, 10_000, func(s Scheduler) {
		i, err := c.Instantiate(t.Context(), Imports{"fetch": AsyncFunc(nil)}, WithScheduler(s))
		if err != nil {
			t.Fatal(err)
		}
		calls := []*Call{i.begin(t, "turn", uint32(2)), i.begin(t, "turn", uint32(1)), i.begin(t, "turn", uint32(1))}
		if err := i.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		results := ""
		for _, c := range calls {
			result, err := c.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			results += fmt.Sprint(result)
		}
		found[results] = true
		if err := i.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	want := []string{"012", "021", "102", "120", "201", "210"}
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, want) {
		t.Errorf("the calls return in the orders %v, want %v", got, want)
	}
	t.Logf("%d orders of choices", orders)
}

func TestNoOrderLosesAWakeUp(t *testing.T) {
	c := compiled(t, "waiting")
	orders := everyOrder(t, 10_000, func(s Scheduler) {
		var host fetches
		i, err := c.Instantiate(t.Context(), host.imports(), WithScheduler(s))
		if err != nil {
			t.Fatal(err)
		}
		calls := []*Call{i.begin(t, "double", uint32(1)), i.begin(t, "triple", uint32(2)), i.begin(t, "double", uint32(3)), i.begin(t, "triple", uint32(4))}
		for answered := 0; ; {
			if err := i.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if answered == len(host.calls) {
				break
			}
			for ; answered < len(host.calls); answered++ {
				host.calls[answered].Return(host.ids[answered])
			}
		}
		for n, c := range calls {
			c.gives(t, []uint32{2, 6, 6, 12}[n])
		}
		if i.host.tasks != 0 || i.host.ready.first != nil {
			t.Errorf("%d tasks are left", i.host.tasks)
		}
		if err := i.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%d orders of choices", orders)
}

func TestThreadsThatWaitForExclusiveUseKeepTheirOrder(t *testing.T) {
	var host fetches
	i := started(t, "waiting", host.imports())
	var calls []*Call
	for n := range uint32(3) {
		calls = append(calls, i.begin(t, "double", n))
	}
	holder := i.begin(t, "triple", uint32(3))
	for _, n := range []int{1, 0, 2} {
		host.calls[n].Return(uint32(n))
	}
	if err := i.Settle(t.Context()); err != nil || calls[0].Done() || calls[1].Done() || calls[2].Done() {
		t.Fatalf("%v: a call goes on although another one has exclusive use", err)
	}
	host.calls[3].Return(uint32(3))
	var order []int
	for more := true; more; {
		if err := i.host.run(t.Context(), func() { more = i.host.step() }); err != nil {
			t.Fatal(err)
		}
		for n, c := range calls {
			if c.Done() && !slices.Contains(order, n) {
				order = append(order, n)
			}
		}
	}
	if !slices.Equal(order, []int{1, 0, 2}) || !holder.Done() {
		t.Errorf("the calls go on in the order %v, want the order of their events: 1, 0, 2", order)
	}
}
