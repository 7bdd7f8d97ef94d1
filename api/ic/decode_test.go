package ic

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestOnlyLargeRequestsTakeAPlace(t *testing.T) {
	places := NewDecoders(1)
	leave, err := places.enter(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := places.enter(t.Context(), false); err != nil {
		t.Errorf("a small request waits for the place: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := places.enter(ended, true); !errors.Is(err, context.Canceled) {
		t.Errorf("a second large request: %v", err)
	}
	leave()
	if _, err := places.enter(t.Context(), true); err != nil {
		t.Errorf("after the first, a large request: %v", err)
	}
}

func TestLargeBodiesWaitForAPlaceAndSmallOnesDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places := NewDecoders(0)
		length := func(body []byte) (int, error) { return len(body), nil }
		inside, leave := make(chan struct{}), make(chan struct{})
		first := make(chan int, 1)
		go func() {
			n, _ := decode(t.Context(), places, make([]byte, 262_145), func(body []byte) (int, error) {
				close(inside)
				<-leave
				return len(body), nil
			})
			first <- n
		}()
		<-inside
		if n, err := decode(t.Context(), places, make([]byte, 262_144), length); n != 262_144 || err != nil {
			t.Errorf("a small body beside a large one: %d bytes, %v", n, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := decode(ctx, places, make([]byte, 262_145), length); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second large body: %v", err)
		}
		close(leave)
		if n := <-first; n != 262_145 {
			t.Errorf("the first large body had %d bytes", n)
		}
		if n, err := decode(t.Context(), places, make([]byte, 262_145), length); n != 262_145 || err != nil {
			t.Errorf("a large body after it: %d bytes, %v", n, err)
		}
		if n, err := decode(t.Context(), nil, make([]byte, 262_145), length); n != 262_145 || err != nil {
			t.Errorf("without places: %d bytes, %v", n, err)
		}
	})
}
