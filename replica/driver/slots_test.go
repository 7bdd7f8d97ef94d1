package driver

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/canisterd/canisterd/candid/principal"
)

// contender is a query of a test of slots. It asks for a slot, says so in the order of the
// grants, and holds it until it is told to go on.
type contender struct {
	*querySlot
	name string
}

// contest makes contenders for the slots of one semaphore.
type contest struct {
	t       *testing.T
	slots   *QuerySlots
	drivers map[string]*Driver
	granted []string
}

func newContest(t *testing.T, slots int) *contest {
	return &contest{t: t, slots: NewQuerySlots(slots), drivers: make(map[string]*Driver)}
}

// contender is a query named by instance, canister and sender.
func (c *contest) contender(ctx context.Context, name string) *contender {
	d := c.drivers[name[:1]]
	if d == nil {
		d = &Driver{slots: c.slots, closing: make(chan struct{})}
		c.drivers[name[:1]] = d
	}
	return &contender{d.slotFor(ctx, principal.Canister(uint64(name[1])), principal.Canister(uint64(name[2]))), name}
}

// wait begins to wait for slots, in this order, and returns when all wait.
func (c *contest) wait(names ...string) (waiting []*contender) {
	for _, name := range names {
		q := c.contender(c.t.Context(), name)
		waiting = append(waiting, q)
		go func() {
			if q.acquire() == nil {
				c.granted = append(c.granted, q.name)
			}
			q.release()
		}()
		synctest.Wait()
	}
	return waiting
}

func TestQueriesTakeTurnsByInstanceCanisterAndSender(t *testing.T) {
	for _, c := range []struct {
		name          string
		waiting, want []string
	}{
		{"instances", []string{"a11", "a11", "a21", "b11"}, []string{"a11", "b11", "a21", "a11"}},
		{"canisters", []string{"a11", "a12", "a13", "a21"}, []string{"a11", "a21", "a12", "a13"}},
		{"senders", []string{"a11", "a11", "a11", "a12"}, []string{"a11", "a12", "a11", "a11"}},
		{"one sender", []string{"a11", "a11"}, []string{"a11", "a11"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			all := newContest(t, 1)
			first := all.contender(t.Context(), "a11")
			if err := first.acquire(); err != nil {
				t.Fatal(err)
			}
			all.wait(c.waiting...)
			first.release()
			synctest.Wait()
			if !slices.Equal(all.granted, c.want) {
				t.Errorf("%s: queries of %v got slots in the order %v, want %v", c.name, c.waiting, all.granted, c.want)
			}
			all.checkEmpty(1)
		})
	}
}

// checkBounds checks how many queries of a sender, its canister and its instance hold state, and
// gives how many do in all.
func (c *contest) checkBounds(sender *queryClass) int {
	c.slots.mu.Lock()
	defer c.slots.mu.Unlock()
	for class := sender; class != nil; class = class.parent {
		if most := maxParked[class.level]; class.counts[stageResumable] > most {
			c.t.Errorf("%d queries hold state of one class of level %d, want at most %d", class.counts[stageResumable], class.level, most)
		}
	}
	return c.slots.root.counts[stageResumable]
}

// turns gives how often a query began to wait.
func (c *contest) turns() uint64 {
	c.slots.mu.Lock()
	defer c.slots.mu.Unlock()
	return c.slots.last
}

// checkEmpty checks that no query is left and all slots are free.
func (c *contest) checkEmpty(slots int) {
	c.t.Helper()
	s := c.slots
	if s.free != slots || s.waiting.Load() != 0 || s.root.waiting != 0 || len(s.root.below) != 0 || s.root.turns.Len() != 0 {
		c.t.Errorf("%d slots are free, %d queries wait, %v have begun, %d instances are known: want %d free and none", s.free, s.waiting.Load(), s.root.counts, len(s.root.below), slots)
	}
}

func TestAQueryThatPausesLetsOthersInAndGoesOnAfterThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newContest(t, 1)
		long := all.contender(t.Context(), "a11")
		if err := long.acquire(); err != nil {
			t.Fatal(err)
		}
		long.pause() // there are no waiters
		all.wait("a11", "a21", "b11")
		for range 3 {
			long.pause()
			all.granted = append(all.granted, "long")
		}
		// The long query is first of all in its own class, but its class waits for the others.
		want := []string{"a11", "b11", "a21", "long", "long", "long"}
		if !slices.Equal(all.granted, want) {
			t.Errorf("the order is %v, want %v", all.granted, want)
		}
		long.release()
		all.checkEmpty(1)
	})
}

func TestOnlySoManyQueriesOfASenderACanisterAndAnInstanceHoldState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newContest(t, 1)
		queries, parked := 800, 2*maxParked[instanceQueries] // of 2 instances, 20 canisters and 10 senders to each, 2 of each
		most, evicted, turns := 0, 0, 0                      // changed by the query that has the slot; turns since all queries began
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for i := range queries {
			q := all.contender(ctx, string([]byte{'a' + byte(i%2), '0' + byte(i/2%20), '0' + byte(i/80)}))
			go func() {
				for again := true; again; again = q.evicted() {
					if q.acquire() == nil {
						for q.pause(); !q.canceled(); q.pause() { // a query asks both
							most = max(most, all.checkBounds(q.class))
							if evicted >= queries-parked {
								turns++
							}
							if turns > 10_000 || all.turns() > 10_000_000 {
								cancel()
							}
						}
						if q.err == errEvicted {
							evicted++
						}
					}
					q.release()
				}
			}()
		}
		synctest.Wait()
		if most != parked || evicted != queries-parked {
			t.Errorf("%d queries that never end were parked at once, %d evicted, want %d and %d", most, evicted, parked, queries-parked)
		}
		all.checkEmpty(1)
	})
}

func TestAQueryWhoseClientGoesAwayWaitsNoLongerAndFreesItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newContest(t, 1)
		first := all.contender(t.Context(), "a11")
		if err := first.acquire(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		gone := all.contender(ctx, "a21")
		ended := make(chan error, 1)
		go func() {
			ended <- gone.acquire()
			gone.release()
		}()
		synctest.Wait()
		all.wait("b11")
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the wait ended with %v", err)
		}
		close(first.driver.closing)
		if !first.canceled() || !errors.Is(first.err, ErrClosed) {
			t.Errorf("a query of a driver that closes is not canceled: %v", first.err)
		}
		first.release()
		synctest.Wait()
		if !slices.Equal(all.granted, []string{"b11"}) {
			t.Errorf("got %v", all.granted)
		}
		all.checkEmpty(1)
	})
}
