package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/canisterd/canisterd/test/resources"
)

// row is what one attack did.
type row struct {
	Name       string        `json:"name"`
	QuietSame  latency       `json:"quiet_same"`
	QuietOther latency       `json:"quiet_other"`
	Same       latency       `json:"same"`
	Other      latency       `json:"other"`
	Memory     int64         `json:"memory_bytes"` // peak
	Quiet      int64         `json:"quiet_memory_bytes"`
	After      int64         `json:"memory_after_bytes"`
	Back       time.Duration `json:"memory_back_ns"`
	Pause      time.Duration `json:"gc_pause_ns"`
	Requests   int64         `json:"attack_requests"`
	Refused    int64         `json:"attack_refused"`
	Failures   []string      `json:"failures,omitempty"`
}

func (r *row) fail(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}

// measure runs one attack.
func measure(ctx context.Context, o *options, dir string, a *attack) (row, error) {
	s, err := newStage(ctx, o, dir, a)
	if err != nil {
		return row{}, err
	}
	defer s.close()
	r := row{Name: a.name}
	s.observeQuiet(ctx, o.quiet, &r)
	s.attack(ctx, o.duration, a, &r)
	s.recover(ctx, a, &r)
	if err := s.process.stop(); err != nil {
		r.fail("%v", err)
	}
	r.check(&a.limits, o.check)
	return r, ctx.Err()
}

// observeBoth measures both innocent canisters until ctx ends.
func (s *stage) observeBoth(ctx context.Context) (same, other latency) {
	var running sync.WaitGroup
	running.Go(func() { same = s.same.observe(ctx) })
	running.Go(func() { other = s.other.observe(ctx) })
	running.Wait()
	return same, other
}

// observeQuiet measures what there is without an attack. The first half second warms
// connections and code up and does not count.
func (s *stage) observeQuiet(ctx context.Context, duration time.Duration, r *row) {
	for _, d := range []time.Duration{500 * time.Millisecond, duration} {
		quiet, cancel := context.WithTimeout(ctx, d)
		r.QuietSame, r.QuietOther = s.observeBoth(quiet)
		cancel()
	}
	r.Quiet = resources.Memory(s.process.cmd.Process.Pid)
	s.process.log.resetPause()
}

// attack runs the attack beside the innocent canisters, and ends it early where the daemon
// has ended or its memory runs away.
func (s *stage) attack(ctx context.Context, duration time.Duration, a *attack, r *row) {
	during, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	var running sync.WaitGroup
	running.Go(func() { a.run(during, s) })
	running.Go(func() { r.Memory = s.watchMemory(during, cancel) })
	r.Same, r.Other = s.observeBoth(during)
	cancel()
	running.Wait()
	r.Requests, r.Refused = s.requests.Load(), s.refused.Load()
	if text := s.violation.Load(); text != nil {
		r.fail("%s", *text)
	}
}

const (
	// sampleInterval is the time between two looks at the daemon's memory.
	sampleInterval = 50 * time.Millisecond
	// runaway is the memory at which an attack is ended early, for the machine's sake: the limit
	// of memory has long been passed there, and the attack has failed.
	runaway = 4 << 30
)

// watchMemory samples the memory until ctx ends and gives the peak.
func (s *stage) watchMemory(ctx context.Context, abort func()) (peak int64) {
	ticker := time.NewTicker(sampleInterval)
	defer ticker.Stop()
	for {
		peak = max(peak, resources.Memory(s.process.cmd.Process.Pid))
		if peak > runaway {
			abort()
		}
		select {
		case <-ctx.Done():
			return peak
		case <-s.process.ended:
			abort()
			return peak
		case <-ticker.C:
		}
	}
}

// recover deletes the attacked instance and those that the attack made, and waits until its memory is back. The other
// innocent canister still answers then.
func (s *stage) recover(ctx context.Context, a *attack, r *row) {
	if !s.process.alive() {
		return // stop says so
	}
	s.http.CloseIdleConnections()
	begin := time.Now()
	deletion, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	for _, name := range append(s.made, attackedInstance) {
		if err := s.deleteInstance(deletion, name); err != nil {
			r.fail("deleting the instance %s: %v", name, err)
		}
	}
	pid := s.process.cmd.Process.Pid
	for {
		r.After, r.Back = resources.Memory(pid), time.Since(begin)
		if r.isBack() || r.Back > 2*a.limits.back {
			break
		}
		time.Sleep(sampleInterval)
	}
	r.Pause = s.process.log.longestPause()
	for kind := range kinds {
		if err := s.other.ask(kind); err != nil {
			r.fail("after the attack: %v", err)
		}
	}
}

// isBack reports whether memory was given back.
func (r *row) isBack() bool { return r.After <= r.Quiet+backSlack }

// check compares what was measured with the limits. In the short version the limits of latencies
// are wider, and grow with the quiet latency.
func (r *row) check(l *limits, short bool) {
	same, other := l.same, l.other
	if short {
		same = max(shortShare*same, quietShare*r.QuietSame.P99)
		other = max(shortShare*other, quietShare*r.QuietOther.P99)
	}
	r.checkLatency("same instance", &r.Same, &r.QuietSame, same)
	r.checkLatency("other instance", &r.Other, &r.QuietOther, other)
	if r.Memory > l.memory {
		r.fail("memory %d MiB > %d", r.Memory>>20, l.memory>>20)
	}
	if r.Back > l.back {
		r.fail("memory is %d MiB after %.1f s, %d before", r.After>>20, r.Back.Seconds(), r.Quiet>>20)
	}
	if r.Pause > l.pause {
		r.fail("GC pause %s ms > %s", milliseconds(r.Pause), milliseconds(l.pause))
	}
}

func (r *row) checkLatency(where string, l, quiet *latency, limit time.Duration) {
	if l.P99 > limit {
		r.fail("%s p99 %s ms > %s (quiet: %s)", where, milliseconds(l.P99), milliseconds(limit), milliseconds(quiet.P99))
	}
	if l.Failed > 0 {
		r.fail("%s: %d of %d requests failed: %v", where, l.Failed, l.Requests, l.failure)
	}
	if l.Requests == 0 {
		r.fail("%s: nothing was measured", where)
	}
}
