package canister_test

import (
	"context"
	"testing"
	"time"

	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// listened is a network whose events are recorded, with a reader that reads them where it
// is followed, and a stopwatch.
func listened(b *testing.B, module []byte, followed bool) *network {
	b.Helper()
	begin := time.Now()
	n := newNetworkOf(b, module, 2, driver.Config{Record: true, Stopwatch: func() int64 { return int64(time.Since(begin)) }})
	if !followed {
		return n
	}
	ctx, stop := context.WithCancel(context.Background())
	s, err := n.Events(ctx, driver.From{}, driver.Filter{})
	if err != nil {
		b.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			if _, err := s.Next(ctx); err != nil && ctx.Err() == nil {
				b.Error(err)
				return
			}
		}
	}()
	b.Cleanup(func() {
		stop()
		<-ended
		s.Close()
	})
	return n
}

// BenchmarkRatioUpdateRecorded is an update through a node that records its events; the
// floor is the same without. The limit was 1.25 for updates that took a fifth longer, 3.8 µs: that is the frozen floor. What
// the events add is the same, 0.8 µs for four of them.
func BenchmarkRatioUpdateRecorded(b *testing.B) {
	module := assembled(b, tiny)
	n, quiet := listened(b, module, false), newNetwork(b, module, 2)
	measured := ratio.Compare(b, 1.35, ratio.Each(func() { n.send(resident(0), 0, "inc", nil) }), ratio.Each(func() { quiet.send(resident(0), 0, "inc", nil) }))
	ratio.ReportFrozen(b, 2250, measured)
}

// BenchmarkRatioCallRecorded is an update that calls another canister through a node that
// records its events; the floor is the same without.
func BenchmarkRatioCallRecorded(b *testing.B) {
	module := assembled(b, tiny)
	n, quiet := listened(b, module, false), newNetwork(b, module, 2)
	to := resident(1).Bytes()
	ratio.Compare(b, 1.35, ratio.Each(func() { n.send(resident(0), 0, "ask", to) }), ratio.Each(func() { quiet.send(resident(0), 0, "ask", to) }))
}

// BenchmarkRatioUpdateFollowed is an update through a node whose events are read as they come; the floor is the same
// without a reader. A reader that is woken for every round costs as much as the update.
func BenchmarkRatioUpdateFollowed(b *testing.B) {
	module := assembled(b, tiny)
	n, quiet := listened(b, module, true), newNetwork(b, module, 2)
	ratio.Compare(b, 1.5, ratio.Each(func() { n.send(resident(0), 0, "inc", nil) }), ratio.Each(func() { quiet.send(resident(0), 0, "inc", nil) }))
}
