package daemon

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/replica"
)

// stands waits until the height of a network is at least so much, and says it.
func stands(t *testing.T, d *Daemon, least uint64) uint64 {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if height := d.Node().View().Height; height >= least {
			return height
		}
	}
	t.Fatalf("the network stays at height %d, want %d", d.Node().View().Height, least)
	return 0
}

func TestPacingIsChangedWhileTheInstanceRuns(t *testing.T) {
	d := started(t, Config{Pacing: Interval, Interval: time.Millisecond})
	begun := time.Now()
	stands(t, d, d.Node().View().Height+5)
	if v := d.Node().View(); v.Time+uint64(time.Minute) < uint64(begun.UnixNano()) {
		t.Errorf("rounds at an interval are at %d, the wall clock was at %d", v.Time, begun.UnixNano())
	}
	for range 20 {
		if err := d.first.SetPacing(t.Context(), instance.Pacing{Mode: Manual}); err != nil {
			t.Fatal(err)
		}
		still := d.Node().View()
		time.Sleep(5 * time.Millisecond)
		if v := d.Node().View(); v.Height != still.Height || v.Time != still.Time {
			t.Fatalf("by hand, height %d became %d", still.Height, v.Height)
		}
		if err := d.first.SetPacing(t.Context(), instance.Pacing{Mode: Interval, Interval: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		stands(t, d, still.Height+1)
	}
	if err := d.first.SetPacing(t.Context(), instance.Pacing{Mode: Interval}); err != nil {
		t.Fatal(err)
	}
	if p := d.first.Pacing(); p.Interval != instance.DefaultInterval {
		t.Errorf("the interval nobody says is %s", p.Interval)
	}
	if err := d.first.SetPacing(t.Context(), instance.Pacing{Mode: Interval, Interval: 2 * instance.MaxInterval}); err == nil {
		t.Error("an interval of two hours is accepted")
	}
}

// Streams of calls and RunRounds ask for the pacing while they own the network.
func TestWhoOwnsTheNetworkMayAskForThePacingWhileItIsChanged(t *testing.T) {
	d := started(t, Config{Pacing: Auto})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	changed := make(chan error, 1)
	err := d.first.node.Do(ctx, func(*replica.Network) {
		go func() { changed <- d.first.SetPacing(ctx, instance.Pacing{Mode: Manual}) }()
		for d.first.backend.paced() != Manual && ctx.Err() == nil { // until the change has begun
			runtime.Gosched()
		}
		if p := d.first.Pacing(); p.Mode != Auto {
			t.Errorf("while it is changed, the mode is %d", p.Mode)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-changed; err != nil || d.first.Pacing().Mode != Manual {
		t.Errorf("%v, and the pacing is %v", err, d.first.Pacing())
	}
}
