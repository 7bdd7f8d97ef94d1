package daemon

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest/wat"
	"github.com/canisterd/canisterd/test/instancetest"
)

// ticking is a canister with a timer of a millisecond.
const ticking = `(module
	(import "ic0" "global_timer_set" (func $timer (param i64) (result i64)))
	(import "ic0" "time" (func $time (result i64)))
	(func $arm (drop (call $timer (i64.add (call $time) (i64.const 1000000)))))
	(func (export "canister_global_timer") (call $arm))
	(func (export "canister_init") (call $arm)))`

func TestTheEventsOfForksWithTimersTakeAnEighthOfTheMemoryLimit(t *testing.T) {
	d := started(t, Config{MemoryLimit: 128 << 20})
	source, err := d.instances.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "source"}, Pacing: instance.Pacing{Mode: instance.Manual}})
	if err != nil {
		t.Fatal(err)
	}
	instancetest.Deploy(t, source, wat.MustAssemble(ticking), nil)
	all := []*instance.Instance{source}
	for n := range 30 {
		fork, err := d.instances.Fork(t.Context(), &instance.ForkSpec{Source: "source", Placement: instance.Placement{Name: fmt.Sprint("fork", n)}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fork)
	}
	most := int64(0)
	for range 700 {
		for _, i := range all {
			if _, err := i.RunUntil(t.Context(), instance.NextTimer(), 0); err != nil {
				t.Fatal(err)
			}
			most = max(most, d.memory.daemon.Used())
		}
	}
	if most > 17<<20 || most < 15<<20 {
		t.Errorf("events and little else take up to %d bytes, want about 16 MiB", most)
	}
	for _, i := range all {
		events, err := i.Driver().Events(t.Context(), driver.From{Beginning: true}, driver.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for {
			_, ok, err := events.Recorded()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			kept++
		}
		if events.Close(); kept < 500 {
			t.Errorf("%s keeps %d events", i.Name(), kept)
		}
	}
}

func TestTheEventsOfALoneInstanceFitIntoThoseOfAll(t *testing.T) {
	for _, limit := range []int64{128 << 20, 1 << 30, 64 << 30} {
		memory := newMemory(limit)
		if one := min(memory.instance("lone").Limit()/8, driver.MaxEventBytes); one > memory.events()/2 {
			t.Errorf("of %d bytes the events of an instance take %d, those of all %d", limit, one, memory.events())
		}
	}
}
