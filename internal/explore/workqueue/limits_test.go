package workqueue_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
)

// memoryStream is the stream of a worker without a network.
type memoryStream struct {
	grpc.ServerStream
	ctx       context.Context
	requests  chan *workerv1.WorkRequest
	responses chan *workerv1.WorkResponse
}

func (s *memoryStream) Context() context.Context { return s.ctx }

func (s *memoryStream) Recv() (*workerv1.WorkRequest, error) {
	select {
	case in := <-s.requests:
		return in, nil
	case <-s.ctx.Done():
		return nil, s.ctx.Err()
	}
}

func (s *memoryStream) Send(out *workerv1.WorkResponse) error {
	select {
	case s.responses <- out:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// The workers say nothing more after they have joined, so this test needs a clock that stands still.
func TestADaemonHas256WorkersOf1024SlotsAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := workqueue.NewHub("1")
		q, err := hub.Begin(t.Context(), offered)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer func() {
			cancel()
			synctest.Wait()
			q.Close()
		}()
		refused := 0
		for range 258 {
			s := &memoryStream{ctx: ctx, requests: make(chan *workerv1.WorkRequest), responses: make(chan *workerv1.WorkResponse)}
			go func() { _ = hub.Work(s) }() // until it is canceled
			s.requests <- &workerv1.WorkRequest{Step: &workerv1.WorkRequest_Joining{Joining: &workerv1.Joining{Version: "1", Slots: 2000}}}
			if (<-s.responses).GetRefusal() == "the daemon has 256 workers already, which is the limit" {
				refused++
			}
		}
		if count, slots := q.Workers(); refused != 2 || count != 256 || slots != 256*1024 {
			t.Errorf("%d workers are refused; %d are there, with %d slots", refused, count, slots)
		}
	})
}

func TestADescriptionHas512MiBAtMost(t *testing.T) {
	t.Parallel()
	_, err := workqueue.NewHub("1").Begin(t.Context(), &workqueue.Campaign{Description: make([]byte, 512<<20+1)})
	if err == nil || !strings.Contains(err.Error(), "the description of the exploration has 536870913 bytes: at most 536870912 are sent to workers") {
		t.Errorf("the campaign begins with %v", err)
	}
}

func TestAnExplorationWithoutAWorkerFailsAfterAMinute(t *testing.T) {
	c := theft(t, 2, 60)
	synctest.Test(t, func(t *testing.T) {
		q, err := workqueue.NewHub("1").Begin(t.Context(), &workqueue.Campaign{Base: func(io.Writer) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		c.Pool = q
		begun := time.Now()
		_, err = campaign.Run(c)
		if err == nil || !strings.Contains(err.Error(), "no workers for 1m0s: start some with canisterd explore worker") {
			t.Errorf("the exploration ended with %v", err)
		}
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}
