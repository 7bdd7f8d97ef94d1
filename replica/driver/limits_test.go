package driver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
)

// owned is a driver without a network, with its owner lock taken.
func owned(t *testing.T) *Driver {
	d := prepare(nil, Config{Workers: 1})
	t.Cleanup(d.pool.Close)
	d.owner.Lock()
	return d
}

func TestAMessageIsRefusedWhere4096RequestsWait(t *testing.T) {
	d := owned(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	for i := range 4_096 {
		if _, _, err := d.submit(gone, new(replica.Ingress), nil, nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("where %d requests wait a message is told %v", i, err)
		}
	}
	_, _, err := d.submit(gone, new(replica.Ingress), nil, nil)
	if refused, ok := errors.AsType[*refusal.Refusal](err); !ok || refused.Kind != refusal.Unavailable || !strings.Contains(refused.Text, "4096 requests wait") {
		t.Errorf("where 4,096 requests wait a message is told %v", err)
	}
}

func TestBetweenTwoRounds1024RequestsAreTaken(t *testing.T) {
	d := owned(t)
	taken := 0
	for range 1_025 {
		d.box() <- &request{do: func(*Driver) { taken++ }, done: make(chan struct{}, 1)}
	}
	if !d.serve() || taken != 1_024 {
		t.Errorf("%d requests were taken", taken)
	}
}

func TestARingKeeps16384EventsAnd32MiB(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		most, chunks int // chunks are forgotten as a whole
	}{"small": {"", 16_384, 256}, "events of 1 MiB": {strings.Repeat("x", 1<<20-eventBytes), 32, 1}} {
		var r recorder
		r.init(new(Config))
		for range c.most {
			r.Event(&replica.Event{Text: c.text})
		}
		if r.events != c.most || r.first() != 1 {
			t.Errorf("%s: of %d events %d are kept", name, c.most, r.events)
		}
		if r.Event(&replica.Event{Text: c.text}); r.events > c.most || r.events <= c.most-c.chunks {
			t.Errorf("%s: of %d events %d are kept", name, c.most+1, r.events)
		}
	}
}

func TestChunksOfARingGrowFrom4To256Events(t *testing.T) {
	var r recorder
	r.init(&Config{Events: 1 << 20})
	for range 1_024 {
		r.Event(new(replica.Event))
	}
	var rooms []int
	for _, c := range r.chunks {
		rooms = append(rooms, cap(c.events))
	}
	if want := []int{4, 4, 8, 16, 32, 64, 128, 256, 256, 256}; !slices.Equal(rooms, want) {
		t.Errorf("1,024 events lie in chunks of %v, want %v", rooms, want)
	}
}

func TestARingForgetsA64thOfItsEventsAtATime(t *testing.T) {
	var r recorder
	r.init(&Config{Events: 6_400})
	least, most := 6_400, 0
	for n := range 20_000 {
		if r.Event(new(replica.Event)); n >= 10_000 { // the first chunks are smaller
			least, most = min(least, r.events), max(most, r.events)
		}
	}
	if least != 6_301 || most != 6_400 {
		t.Errorf("of 6,400 events %d to %d are kept", least, most)
	}
}

func TestAReaderRestsAMillisecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := Stream{woken: began.Add(-400 * time.Microsecond)}
		s.rest(t.Context())
		if rested := time.Since(began); rested != 600*time.Microsecond {
			t.Errorf("400 µs after it was woken a reader rests %s, want 600 µs", rested)
		}
	})
}

func TestWhereMemoryIsShortARingKeepsAMiB(t *testing.T) {
	var r recorder
	r.init(new(Config))
	for range 8 {
		r.Event(&replica.Event{Text: strings.Repeat("x", 512<<10-eventBytes)})
	}
	r.shrink(1 << 20)
	if r.bytes != 3<<20 {
		t.Errorf("of 4 MiB that are to be 1 MiB less %d bytes are left", r.bytes)
	}
	r.shrink(4 << 20)
	if r.bytes != 1<<20 {
		t.Errorf("of 3 MiB that are to be 4 MiB less %d bytes are left", r.bytes)
	}
}

func TestAMessageTakes512BytesBesideItsArgument(t *testing.T) {
	memory := budget.New("instance test", 1_000)
	d := prepare(nil, Config{Workers: 1, Memory: memory})
	defer d.pool.Close()
	in := &replica.Ingress{Method: "method", Arg: make([]byte, 1_000-512-len("method"))}
	if bytes, err := d.reserve(in); bytes != 1_000 || err != nil {
		t.Errorf("a message takes %d bytes: %v", bytes, err)
	}
	memory.Release(1_000)
	in.Arg = append(in.Arg, 0)
	if _, err := d.reserve(in); err == nil {
		t.Error("a message has room that is larger by a byte")
	}
}

func TestAnIdleNodeHas20MillisecondsLessThanBusyNodes(t *testing.T) {
	for _, c := range []struct {
		used  int64
		first bool
	}{{79_999_999, false}, {80_000_000, false}, {80_000_001, true}} {
		p := NewProcessors(1, nil)
		p.free.Store(0)
		p.now = 100_000_000
		var busy, sleeper usage
		busy.finish.Store(c.used)
		p.enqueue(&busy) // of two that used the same the first goes first
		gate := p.enqueue(&sleeper)
		p.free.Store(1)
		p.admit()
		select {
		case <-gate.open:
			if !c.first {
				t.Errorf("it goes before a driver that used %d ns", c.used)
			}
		default:
			if c.first {
				t.Errorf("it goes after a driver that used %d ns", c.used)
			}
		}
	}
}

func TestWhereMemoryIsShortAQuarterOfTheSharedEventsIsKept(t *testing.T) {
	m := NewEventMemory(8 << 20)
	var r recorder
	r.init(&Config{EventMemory: m})
	for range 16 {
		r.Event(&replica.Event{Text: strings.Repeat("x", 256<<10)})
	}
	if m.forget(1 << 40); m.Used() > 2<<20 || m.Used() < 2<<20-300<<10 {
		t.Errorf("of 8 MiB for events %d bytes are left", m.Used())
	}
}

func TestTheFairPartOfARingHasRoomForFourChunks(t *testing.T) {
	m := NewEventMemory(1 << 20)
	var r recorder
	r.init(&Config{EventMemory: m})
	for drivers, want := range map[int64]int{1: 256, 10: (1 << 20) / 10 / 4 / eventBytes, 10_000: 4} {
		m.drivers.Store(drivers)
		if got := r.largest(); got != want {
			t.Errorf("where %d drivers share 1 MiB a chunk has %d events, want %d", drivers, got, want)
		}
	}
}
