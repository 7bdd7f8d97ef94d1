package driver_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/replica/driver"
)

// perMessage is an upper bound on what a driver is charged for an answered message, excluding its events.
const perMessage = 1500

// remembered returns how many events a driver has.
func (r *running) remembered() int {
	events, _, _ := r.Ring()
	return events
}

func TestTheEventsOfManyForksStayWithinTheirSharedMemory(t *testing.T) {
	const limit, forks = 4 << 20, 40
	all := budget.New("all instances", 64<<20)
	shared := driver.NewEventMemory(limit)
	config := func(name string) driver.Config {
		return driver.Config{Record: true, EventMemory: shared, Memory: all.Child(name, 32<<20), EventBytes: 4 << 20}
	}
	source := start(t, config("source"))
	source.create(1)
	many := []*running{source}
	for n := range forks {
		many = append(many, source.forked(config(fmt.Sprint("fork ", n))))
	}
	most := int64(0)
	for n := range 60 {
		for _, r := range many {
			r.must(0, "run", fmt.Sprint("reply ", n)) // four events
			most = max(most, shared.Used(), all.Used())
		}
	}
	if most > limit+1<<20+60*(forks+1)*perMessage || shared.Used() > limit {
		t.Errorf("of %d bytes for events up to %d are in use with the messages, at the end %d", limit, most, shared.Used())
	}
	least, total := many[0].remembered(), 0
	for _, r := range many {
		least, total = min(least, r.remembered()), total+r.remembered()
	}
	if fair := total / len(many); least < fair/2 || total < 2_000 {
		t.Errorf("%d drivers keep %d events, the least of them %d", len(many), total, least)
	}
}

func TestANodeWithFewEventsLosesNoneToOneWithMany(t *testing.T) {
	shared := driver.NewEventMemory(1 << 20)
	quiet := start(t, driver.Config{Record: true, EventMemory: shared})
	quiet.create(1)
	before := quiet.remembered()
	loud := start(t, driver.Config{Record: true, EventMemory: shared})
	loud.create(1)
	for n := range 1_000 {
		loud.must(0, "run", fmt.Sprint("reply ", n))
	}
	if quiet.remembered() != before || before == 0 || loud.remembered() > 3_000 || shared.Used() > 1<<20 {
		t.Errorf("the quiet one keeps %d of %d events, the loud one %d of 4,000 in %d bytes", quiet.remembered(), before, loud.remembered(), shared.Used())
	}
}

func TestALoneNodeKeepsAsManyEventsInASharedMemoryAsWithoutOne(t *testing.T) {
	const most = 1 << 20
	var kept [2]int
	for i, shared := range []*driver.EventMemory{nil, driver.NewEventMemory(2 * most)} {
		r := start(t, driver.Config{Record: true, EventBytes: most, EventMemory: shared})
		r.create(1)
		for n := range 1_000 {
			r.must(0, "run", fmt.Sprint("reply ", n))
		}
		kept[i] = r.remembered()
	}
	if kept[0] != kept[1] || kept[0] > 3_000 {
		t.Errorf("alone it keeps %d events, in a shared memory %d", kept[0], kept[1])
	}
}

func TestWhereTheBudgetIsFullTheNodeWithMostEventsForgetsThem(t *testing.T) {
	all := budget.New("all instances", 4<<20)
	shared := driver.NewEventMemory(2 << 20)
	loud := start(t, driver.Config{Record: true, EventMemory: shared, Memory: all.Child("loud", 4<<20)})
	loud.create(1)
	for n := range 400 {
		loud.must(0, "run", fmt.Sprint("reply ", n))
	}
	before := loud.remembered()
	quiet := start(t, driver.Config{Record: true, EventMemory: shared, Memory: all.Child("quiet", 4<<20)})
	quiet.create(1)
	all.Charge(all.Limit() - all.Used() + 1<<10)
	had := quiet.remembered()
	if _, err := quiet.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if loud.remembered() >= before || quiet.remembered() <= had {
		t.Errorf("the loud one had %d events and keeps %d, the quiet one %d and %d", before, loud.remembered(), had, quiet.remembered())
	}
}

func TestAClosedNodeGivesItsEventsBack(t *testing.T) {
	shared, memory := driver.NewEventMemory(1<<20), budget.New("instance test", 16<<20)
	r := start(t, driver.Config{Record: true, EventMemory: shared, Memory: memory})
	r.create(1)
	if shared.Used() == 0 || memory.Used() < shared.Used() {
		t.Errorf("its events take %d bytes, it %d", shared.Used(), memory.Used())
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if shared.Used() != 0 {
		t.Errorf("when it is closed %d bytes are in use", shared.Used())
	}
}

func TestTheEventsOfAStoppedNodeMakeRoomForThoseOfOthers(t *testing.T) {
	all, shared := budget.New("all instances", 64<<20), driver.NewEventMemory(1<<20)
	config := func(name string) driver.Config {
		return driver.Config{Record: true, EventMemory: shared, Memory: all.Child(name, 32<<20)}
	}
	stopped, other := open(t, config("stopped")), start(t, config("other"))
	stopped.create(1)
	other.create(1)
	for n := range 1_000 {
		stopped.must(0, "run", fmt.Sprint("reply ", n))
	}
	before := stopped.remembered()
	stopped.Fail(errors.New("a bug"))
	if _, err := stopped.Round(t.Context()); err == nil {
		t.Fatal("the driver goes on")
	}
	for n := range 1_000 {
		other.must(0, "run", fmt.Sprint("reply ", n))
	}
	if kept := stopped.remembered(); kept == 0 || kept > before*3/4 || shared.Used() > 1<<20 || all.Used() > 2<<20+2*1_000*perMessage {
		t.Errorf("the stopped driver keeps %d of %d events; those of both take %d bytes, both drivers %d", kept, before, shared.Used(), all.Used())
	}
	if err := stopped.Close(); err == nil {
		t.Error("the bug is forgotten")
	}
}
