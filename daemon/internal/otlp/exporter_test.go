package otlp

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

// collecting is a sender that notes what it is asked to send, and when. Where busy is not nil it takes nothing until
// that is closed; where failure is not nil each try fails with it.
type collecting struct {
	busy    chan struct{}
	failure error
	began   time.Time
	at      []time.Duration // since began, of each try
	batches []int           // spans of each try
	limits  []time.Duration // how long each try might take
}

func (c *collecting) send(ctx context.Context, request *collectorpb.ExportTraceServiceRequest) (int64, bool, error) {
	spans := 0
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			spans += len(scope.GetSpans())
		}
	}
	deadline, _ := ctx.Deadline()
	c.at, c.batches, c.limits = append(c.at, time.Since(c.began)), append(c.batches, spans), append(c.limits, time.Until(deadline)) // in a bubble
	if c.busy != nil {
		<-c.busy
	}
	return 0, true, c.failure
}

func (c *collecting) close() {}

// exporting is an exporter that sends through c.
func exporting(c *collecting) *Exporter {
	c.began = time.Now()
	return newExporter(Options{Endpoint: "test", Timeout: defaultTimeout, Log: slog.New(slog.DiscardHandler)}, c) // in a bubble
}

func add(x *Exporter, spans int) {
	for range spans {
		x.add("lab", new(tracepb.Span))
	}
}

func TestABatchHas512SpansAndTheQueue8192(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collecting{busy: make(chan struct{})}
		x := exporting(c)
		add(x, 600)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !slices.Equal(c.batches, []int{512}) || x.Counts().Queued != 88 {
			t.Errorf("of 600 spans, batches of %v are sent and %d wait; want 512 and 88", c.batches, x.Counts().Queued)
		}
		add(x, 8192-88+3)
		if got := x.Counts(); got.Queued != 8192 || got.Dropped != 3 {
			t.Errorf("beside a collector that takes nothing %d wait and %d are dropped; want 8192 and 3", got.Queued, got.Dropped)
		}
		close(c.busy)
		x.Close(t.Context())
		if got := x.Counts(); got.Sent != 512+8192 || got.Queued != 0 {
			t.Errorf("at the end %d were sent and %d wait; want %d and 0", got.Sent, got.Queued, 512+8192)
		}
	})
}

func TestABatchThatIsNotFullIsSentASecondAfterItsFirstSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(collecting)
		x := exporting(c)
		add(x, 1)
		time.Sleep(500 * time.Millisecond)
		add(x, 1)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if !slices.Equal(c.at, []time.Duration{time.Second}) || !slices.Equal(c.batches, []int{2}) {
			t.Errorf("batches of %v spans were sent after %v, want 2 after 1s", c.batches, c.at)
		}
		x.Close(t.Context())
	})
}

func TestABatchIsTriedFiveTimesWithLongerAndLongerPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collecting{failure: errors.New("busy")}
		x := exporting(c)
		add(x, 7)
		time.Sleep(time.Minute)
		synctest.Wait()
		ms := time.Millisecond
		if want := []time.Duration{1000 * ms, 1250 * ms, 1750 * ms, 2750 * ms, 4750 * ms}; !slices.Equal(c.at, want) {
			t.Errorf("tries after %v, want %v", c.at, want)
		}
		if c.limits[0] != 10*time.Second {
			t.Errorf("a try may take %v, want 10s", c.limits[0])
		}
		if got := x.Counts(); got.Rejected != 7 || got.Sent != 0 {
			t.Errorf("the counts are %+v, want 7 rejected", got)
		}
		x.Close(t.Context())
	})
}
