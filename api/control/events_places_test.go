package control

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

func TestStreamsMakeMessagesOfEventsOnHalfOfTheProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for processors, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 8: 4} {
		runtime.GOMAXPROCS(processors)
		if got := cap(New(nil, Options{}).showing); got != want {
			t.Errorf("with %d processors there are %d places, want %d", processors, got, want)
		}
	}
}

func TestEventsWaitForAPlaceToBeShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &events{Server: New(nil, Options{})}
		defer s.Close(t.Context()) // its workers would outlive the bubble
		e := &driver.Recorded{Sequence: 7, Event: replica.Event{Kind: replica.RoundEnded}}
		for range cap(s.showing) {
			s.showing <- struct{}{}
		}
		odd := errors.New("the stream is over")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, odd)
		defer cancel()
		if shown, err := s.shown(ctx, e); shown != nil || !errors.Is(err, odd) {
			t.Errorf("without a place: %v, %v", shown, err)
		}
		waited := make(chan uint64, 1)
		go func() {
			shown, _ := s.shown(t.Context(), e)
			waited <- shown.GetSequence()
		}()
		synctest.Wait()
		select {
		case n := <-waited:
			t.Errorf("event %d is shown without a place", n)
		default:
		}
		<-s.showing
		if n := <-waited; n != 7 {
			t.Errorf("event %d is shown once there is a place, want 7", n)
		}
		if free := cap(s.showing) - len(s.showing); free != 1 {
			t.Errorf("%d places are free afterwards, want 1", free)
		}
	})
}
