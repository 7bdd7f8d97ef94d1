package wasi

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/canisterd/canisterd/component"
)

// tick passes whenever a program reads a clock, so that a loop that waits for a time ends.
const tick = uint64(time.Microsecond)

// clock is a virtual clock. It moves when it is read, and to the next time that the program waits for.
type clock struct {
	now    uint64 // nanoseconds since the start
	timers []timer
}

// timer is a call that waits for a time.
type timer struct {
	due  uint64
	done *component.Completion
	ctx  context.Context
}

func (c *clock) read() uint64 {
	c.advance(after(c.now, tick))
	return c.now
}

func (c *clock) advance(to uint64) { c.now = max(c.now, to) }

// after adds a duration to a time. The last time is after all others.
func after(t, duration uint64) uint64 {
	if duration > math.MaxUint64-t {
		return math.MaxUint64
	}
	return t + duration
}

// wait ends a call at a time.
func (c *clock) wait(ctx context.Context, due uint64, done *component.Completion) {
	if due <= c.now {
		done.Return(nil)
		return
	}
	t := timer{due, done, ctx}
	at, _ := slices.BinarySearchFunc(c.timers, t, func(a, b timer) int { return cmp.Or(cmp.Compare(a.due, b.due), -1) })
	c.timers = slices.Insert(c.timers, at, t)
}

// wake ends the calls that were cancelled; without any, it advances to the first time that a call waits for, and ends those
// that wait for it. It says whether there was one.
func (c *clock) wake() bool {
	cancelled := false
	c.timers = slices.DeleteFunc(c.timers, func(t timer) bool {
		if t.ctx.Err() == nil {
			return false
		}
		t.done.Cancelled()
		cancelled = true
		return true
	})
	if cancelled || len(c.timers) == 0 {
		return cancelled
	}
	c.advance(c.timers[0].due)
	n := 0
	for n < len(c.timers) && c.timers[n].due <= c.now {
		c.timers[n].done.Return(nil)
		n++
	}
	c.timers = slices.Delete(c.timers, 0, n)
	return true
}

// monotonicClock is wasi:clocks/monotonic-clock of 0.2.
func (h *Host) monotonicClock() functions {
	until := func(due uint64) (any, error) { return h.pollables.resource(pollable{due}) }
	return functions{
		"now":        function("", func([]any) any { return h.clock.read() }),
		"resolution": function("", func([]any) any { return tick }),
		"subscribe-instant": fallible("u64", func(args []any) (any, error) {
			return until(args[0].(uint64))
		}),
		"subscribe-duration": fallible("u64", func(args []any) (any, error) {
			return until(after(h.clock.now, args[0].(uint64)))
		}),
	}
}

// waitingClock is wasi:clocks/monotonic-clock of 0.3.
func (h *Host) waitingClock() functions {
	return functions{
		"now":            function("", func([]any) any { return h.clock.read() }),
		"get-resolution": function("", func([]any) any { return tick }),
		"wait-until": {"u64", component.AsyncFunc(func(ctx context.Context, args []any, done *component.Completion) {
			h.clock.wait(ctx, args[0].(uint64), done)
		})},
		"wait-for": {"u64", component.AsyncFunc(func(ctx context.Context, args []any, done *component.Completion) {
			h.clock.wait(ctx, after(h.clock.now, args[0].(uint64)), done)
		})},
	}
}

// wallTime gives the time of the wall clock.
func (h *Host) wallTime() time.Time {
	return h.options.Start.Add(time.Duration(min(h.clock.read(), math.MaxInt64)))
}

// wallClock is wasi:clocks/wall-clock of 0.2.
func (h *Host) wallClock() functions {
	return functions{
		"now": function("", func([]any) any {
			t := h.wallTime()
			return []any{uint64(t.Unix()), uint32(t.Nanosecond())}
		}),
		"resolution": function("", func([]any) any { return []any{uint64(0), uint32(tick)} }),
	}
}

// systemClock is wasi:clocks/system-clock of 0.3.
func (h *Host) systemClock() functions {
	return functions{
		"now": function("", func([]any) any {
			t := h.wallTime()
			return []any{t.Unix(), uint32(t.Nanosecond())}
		}),
		"get-resolution": function("", func([]any) any { return tick }),
	}
}
