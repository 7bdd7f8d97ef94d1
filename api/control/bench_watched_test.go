package control_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// askedAgain are the RPCs with which the page Now asks again after something has happened.
var askedAgain = []string{
	"Clock/GetTime", "Instances/GetInstance", "Messages/ListFutures", "Messages/ListHeld", "Canisters/ListCanisters", "Messages/ListTimers", "Messages/ListContexts",
}

// settled is after how many lines of the stream the page asks again: as many as a busy network has in the 120 ms for which
// the page waits.
const settled = 2000

// watchedUpdates are the updates of a turn. A follower reads their events while they go on.
const watchedUpdates = 1000

// follower reads the events of a daemon.
type follower struct {
	read   atomic.Int64 // lines of events, and answers
	newest atomic.Int64 // when it read the newest, in nanoseconds
}

// countRead counts something that the follower has read, and returns the new count.
func (f *follower) countRead() int64 {
	f.newest.Store(time.Now().UnixNano())
	return f.read.Add(1)
}

// isIdle reports whether there was nothing to read for longer than streams gather events.
func (f *follower) isIdle() bool {
	return time.Since(time.Unix(0, f.newest.Load())) > 30*time.Millisecond
}

// watch follows the events by the control API, until the benchmark ends.
func (w *bench) watch() *follower {
	f := new(follower)
	ctx, cancel := context.WithCancel(w.b.Context())
	w.b.Cleanup(cancel)
	events, err := controlv1.NewEventsClient(dialBench(w.b, w.daemon.ControlAddress())).Watch(ctx, &controlv1.WatchRequest{FromBeginning: true})
	if err != nil {
		w.b.Fatal(err)
	}
	go func() {
		for {
			if _, err := events.Recv(); err != nil {
				return
			}
			f.countRead()
		}
	}()
	return f
}

// openPage does what the page Now of the inspector does, until the benchmark ends: it follows the events from the
// beginning, and asks again when something has happened.
func (w *bench) openPage() *follower {
	f := new(follower)
	jar, _ := cookiejar.New(nil) // without options it cannot fail
	browser := &http.Client{Jar: jar}
	w.b.Cleanup(browser.CloseIdleConnections)
	get := func(url string) *http.Response {
		answer, err := browser.Get(url)
		if err != nil || answer.StatusCode != http.StatusOK {
			w.b.Fatalf("%v %v", answer, err)
		}
		return answer
	}
	_ = get(w.daemon.InspectorURL()).Body.Close()
	base := w.daemon.URL() + "/_/inspect/"
	events := get(base + "stream/Events/Watch?request=" + url.QueryEscape(`{"fromBeginning": true}`))
	happened := make(chan struct{}, 1)
	w.b.Cleanup(func() { _ = events.Body.Close() })
	go func() {
		defer close(happened)
		lines := bufio.NewReader(events.Body)
		for {
			if _, err := lines.ReadSlice('\n'); err != nil && err != bufio.ErrBufferFull {
				return
			}
			if f.countRead()%settled > 0 {
				continue
			}
			select {
			case happened <- struct{}{}:
			default: // the page is about to ask
			}
		}
	}()
	go func() {
		for range happened {
			for _, method := range askedAgain {
				in, _ := http.NewRequest(http.MethodPost, base+"rpc/"+method, strings.NewReader("{}")) // the address is valid
				in.Header.Set("Content-Type", "application/json")
				in.Header.Set("X-Canisterd-Inspect", "1")
				if answer, err := browser.Do(in); err == nil {
					_, _ = io.Copy(io.Discard, answer.Body) // the daemon may have ended
					_ = answer.Body.Close()
					f.countRead()
				}
			}
		}
	}()
	return f
}

// compareFollowed compares updates of two daemons. Nothing but the updates and their followers runs in a turn.
func compareFollowed(b *testing.B, limit float64, follow, followFloor func(*bench) *follower) {
	turn := func(follow func(*bench) *follower) func() ratio.Spent {
		w := newBench(b)
		f := follow(w)
		return func() ratio.Spent {
			took := ratio.Spend(func() {
				for range watchedUpdates {
					w.unary()
				}
			})
			eventually.True(b, "the follower has read all events", f.isIdle)
			return ratio.Spent{Wall: took.Wall / watchedUpdates, CPU: took.CPU / watchedUpdates}
		}
	}
	ratio.CompareSpent(b, limit, turn(follow), turn(followFloor))
}

// BenchmarkRatioUpdateWhileAClientWatches is an update of a daemon whose events a client of the control API reads, in the
// same process; the floor is the same update of a daemon without a client. The client and the stream share two processors
// with the update.
func BenchmarkRatioUpdateWhileAClientWatches(b *testing.B) {
	compareFollowed(b, 2, (*bench).watch, func(*bench) *follower { return new(follower) })
}

// BenchmarkRatioUpdateWhileThePageIsOpen is an update of a daemon whose events a page of the inspector follows; the floor
// is the same update while a client of the control API follows them, which is what the page does through HTTP. The limit was
// 1.3 for a floor without a client, in turns so short that the page still read in those of the floor. Quiet runs measure 1.1
// to 1.5: the update shares two processors with both ends of the page's stream.
func BenchmarkRatioUpdateWhileThePageIsOpen(b *testing.B) {
	compareFollowed(b, 1.6, (*bench).openPage, (*bench).watch)
}
