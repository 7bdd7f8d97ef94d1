package state

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/timers"
)

// claims are the deadlines with a handle.
type claims struct {
	c       *archive.Coder
	table   *timers.Table
	claimed map[timers.Handle]bool
	kinds   map[timers.Kind]int
}

// claim checks that the deadline under a handle, if there is one, is the expected one, and that it is unclaimed.
func (k *claims) claim(h timers.Handle, meant func(*timers.Deadline) bool) {
	d, alive := k.table.Get(h)
	if !alive {
		return
	}
	k.c.Check(meant(&d) && !k.claimed[h], "a deadline of kind %q is somebody else's", d.Kind)
	k.claimed[h] = true
	k.kinds[d.Kind]++
}

// checkDeadlines checks that the subject of every deadline exists, and is linked to it: then the deadline is removed
// with its subject.
func (s *State) checkDeadlines(c *archive.Coder) {
	k := &claims{c: c, table: &s.Deadlines, claimed: make(map[timers.Handle]bool), kinds: make(map[timers.Kind]int)}
	for r := range s.Canisters.All() {
		k.ofCanister(r)
	}
	for in := range s.History.All() {
		k.claim(in.deadline, func(d *timers.Deadline) bool {
			return (d.Kind == timers.IngressExpiry || d.Kind == timers.IngressPrune && in.Status.Terminal()) && d.Number == in.Number
		})
	}
	s.Calls.EachFuture(func(id intercanister.CallID, f *intercanister.Future) {
		k.claim(f.Expiry, func(d *timers.Deadline) bool {
			return d.Kind == timers.CallExpiry && d.Number == uint64(id) && f.State == intercanister.Waiting && f.Deadline != 0
		})
	})
	for number := range s.Outcalls { // each independently: the order has no effect
		k.claim(s.Outcalls[number].Expiry, func(d *timers.Deadline) bool { return d.Kind == timers.OutcallExpiry && d.Number == number })
	}
	for _, h := range s.Held.All() {
		k.claim(h.Due, func(d *timers.Deadline) bool { return d.Kind == timers.HeldMessage && d.Number == h.ID })
	}
	for _, x := range s.Parked {
		k.claim(x.Alarm, func(d *timers.Deadline) bool {
			return d.Kind == timers.Wake && d.Subject == x.Entry.ID() && d.At == x.Until
		})
		_, alive := s.Deadlines.Get(x.Alarm)
		c.Check(alive == (x.Until != 0), "the message of canister %s waits for a time without a deadline, or has one without waiting", x.Entry.ID())
	}
	k.complete()
}

// ofCanister claims the deadlines of a canister: its timer, callers that wait for it to stop, the best-effort requests
// that wait for it.
func (k *claims) ofCanister(r *Entry) {
	k.claim(r.timer, func(d *timers.Deadline) bool { return d.Kind == timers.GlobalTimer && d.Subject == r.ID() })
	for i := range r.Stops {
		stop := &r.Stops[i]
		k.claim(stop.Timeout, func(d *timers.Deadline) bool {
			return d.Kind == timers.StopTimeout && d.Subject == r.ID() && d.Number == stop.Number
		})
	}
	r.Mailbox.Each(func(in *Input) {
		if in.Source == intercanister.SourceRequests {
			k.claim(in.Request.Expiry, func(d *timers.Deadline) bool {
				return d.Kind == timers.RequestExpiry && d.Subject == r.ID() && in.Request.Deadline != 0
			})
		}
	})
}

// complete checks that every deadline is claimed, except those without a handle: charges, of which there is one at a
// time, and retries of hooks.
func (k *claims) complete() {
	found := make(map[timers.Kind]int)
	for _, d := range k.table.All() {
		found[d.Kind]++
		k.c.Check(d.Kind != 0 && (d.Kind != timers.Charge || found[d.Kind] == 1), "there is nothing for a deadline of kind %q", d.Kind)
	}
	for kind := timers.GlobalTimer; kind <= timers.Wake; kind++ {
		if kind != timers.Charge && kind != timers.HookRetry {
			k.c.Check(found[kind] == k.kinds[kind], "there is nothing for a deadline of kind %q", kind)
		}
	}
}
