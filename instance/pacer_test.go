package instance_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
)

// stands waits until the height of a network is at least so much, and says it.
func stands(t *testing.T, i *instance.Instance, least uint64) uint64 {
	t.Helper()
	var height uint64
	eventually.True(t, fmt.Sprintf("a network at height %d", least), func() bool {
		height = i.Driver().View().Height
		return height >= least
	})
	return height
}

func TestPacingIsChangedWhileTheInstanceRuns(t *testing.T) { synctest.Test(t, changePacing) }

func changePacing(t *testing.T) {
	_, i := first(t, nil, instance.Pacing{Mode: instance.Interval, Interval: time.Millisecond})
	begun := time.Now()
	stands(t, i, i.Driver().View().Height+5)
	if v := i.Driver().View(); v.Time+uint64(time.Minute) < uint64(begun.UnixNano()) {
		t.Errorf("rounds at an interval are at %d, the wall clock was at %d", v.Time, begun.UnixNano())
	}
	for range 20 {
		if err := i.SetPacing(t.Context(), instance.Pacing{Mode: instance.Manual}); err != nil {
			t.Fatal(err)
		}
		still := i.Driver().View()
		time.Sleep(5 * time.Millisecond) // in a bubble
		if v := i.Driver().View(); v.Height != still.Height || v.Time != still.Time {
			t.Fatalf("by hand, height %d became %d", still.Height, v.Height)
		}
		if err := i.SetPacing(t.Context(), instance.Pacing{Mode: instance.Interval, Interval: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		stands(t, i, still.Height+1)
	}
	if err := i.SetPacing(t.Context(), instance.Pacing{Mode: instance.Interval}); err != nil {
		t.Fatal(err)
	}
	if p := i.Pacing(); p.Interval != instance.DefaultInterval {
		t.Errorf("the default interval is %s", p.Interval)
	}
	if err := i.SetPacing(t.Context(), instance.Pacing{Mode: instance.Interval, Interval: 2 * instance.MaxInterval}); err == nil {
		t.Error("an interval of two hours is accepted")
	}
}

// Streams of calls and RunRounds ask for the pacing while they own the network.
func TestWhoOwnsTheNetworkMayAskForThePacingWhileItIsChanged(t *testing.T) {
	_, i := first(t, nil, instance.Pacing{Mode: instance.Auto})
	ctx := eventually.Context(t)
	changed := make(chan error, 1)
	err := i.Driver().Do(ctx, func(*replica.Network) {
		go func() { changed <- i.SetPacing(ctx, instance.Pacing{Mode: instance.Manual}) }()
		for i.Paced() != instance.Manual && ctx.Err() == nil { // until the change has begun
			runtime.Gosched()
		}
		if p := i.Pacing(); p.Mode != instance.Auto {
			t.Errorf("while it is changed, the mode is %d", p.Mode)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-changed; err != nil || i.Pacing().Mode != instance.Manual {
		t.Errorf("%v, and the pacing is %v", err, i.Pacing())
	}
}
