package daemon

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestAJournalFileReplaysForAnyNumberOfWorkersWithoutTheNetwork records a network with 1 worker and one with 4, in which
// several canisters execute messages in the same rounds and one makes outcalls. It replays them without the server of the
// outcalls.
func TestAJournalFileReplaysForAnyNumberOfWorkersWithoutTheNetwork(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var asked atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			_, _ = fmt.Fprintf(w, "answer %d", asked.Add(1))
		}))
		defer server.Close()
		dir := filepath.Join(t.TempDir(), "state")
		d, err := kept(t, dir, Config{OutcallsLocal: true, workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		recordedTraces(t, d, 0) // from here on, events are recorded
		b := browse(t, d)
		var all sync.WaitGroup
		for range 8 {
			id := b.deploy(motoko(t, "counter"))
			all.Go(func() {
				for range 4 {
					if _, err := b.Call(b.ctx, id, id, "inc", []byte("DIDL\x00\x00")); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 3 {
			if r, refused := b.outcall(`url = "` + server.URL + `"; method = variant { get }; headers = vec {}`); refused != "" || r.Status != http.StatusOK {
				t.Errorf("an outcall: %s, %+v", refused, r)
			}
		}
		all.Wait()
		want := recordedTraces(t, d, 40)
		b.Close()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		server.Close()
		made := asked.Load()
		var file bytes.Buffer
		if err := ExportState(dir, &file); err != nil {
			t.Fatal(err)
		}
		for _, again := range []int{1, 4} {
			got, err := ReplayFile(t.Context(), bytes.NewReader(file.Bytes()), Config{workers: again}, Traces{Newest: 40})
			if err != nil || got.Checkpoints == 0 || got.Roots == 0 {
				t.Errorf("%d workers recorded, %d replay: %+v: %v", workers, again, got, err)
			}
			if !slices.Equal(withoutWaits(got.Traces), withoutWaits(want)) {
				t.Errorf("%d workers recorded, %d replay other traces:\n%s\nwant\n%s", workers, again, got.Traces, want)
			}
		}
		if asked.Load() != made || made < 3 {
			t.Errorf("the server was asked %d times, and %d times before the replays", asked.Load(), made)
		}
	}
}

// waits are how long answers took, and the spaces before other columns.
var waits = regexp.MustCompile(`( \([0-9.]+ s of network time\))?  +`)

// withoutWaits returns traces without how long answers took: a message that came while its module was compiled waited
// for some rounds, and the journal has only the round in which it was taken.
func withoutWaits(texts []string) (plain []string) {
	for _, text := range texts {
		plain = append(plain, waits.ReplaceAllString(text, " "))
	}
	return plain
}
