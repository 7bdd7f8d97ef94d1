package control_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// askedAgain are the RPCs with which the page Now asks again after something has happened.
var askedAgain = []string{
	"Clock/GetTime", "Instances/GetInstance", "Messages/ListFutures", "Messages/ListHeld", "Canisters/ListCanisters", "Messages/ListTimers", "Messages/ListContexts",
}

// settled is after how many lines of the stream the page asks again: as many as a busy network has in the 120 ms for which
// the page waits.
const settled = 2000

// watchedLimit is how many times as long an update may take while a page is open. It is 1.12 on a quiet machine with two
// processors, which the update shares with the page's requests; the rest is for what else runs on them.
const watchedLimit = 1.3

// openPage does what the page Now of the inspector does, until the benchmark ends: it follows the events from the
// beginning, and asks again when something has happened.
func (w *bench) openPage() {
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
		for read := 1; ; read++ {
			if _, err := lines.ReadSlice('\n'); err != nil && err != bufio.ErrBufferFull {
				return
			}
			if read%settled > 0 {
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
				}
			}
		}
	}()
}

// BenchmarkRatioUpdateWhileThePageIsOpen is an update of a daemon whose events a page of the inspector follows; the floor
// is the same update of a daemon without a page.
func BenchmarkRatioUpdateWhileThePageIsOpen(b *testing.B) {
	watched, alone := newBench(b), newBench(b)
	watched.openPage()
	ratio.Compare(b, watchedLimit, ratio.Each(watched.unary), ratio.Each(alone.unary))
}
