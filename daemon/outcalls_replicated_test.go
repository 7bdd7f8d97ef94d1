package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// ticker is a server that tells how often it was asked, or the same to all who ask /same.
func ticker(t *testing.T) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		count := asked.Add(1)
		if r.URL.Path != "/same" {
			w.Header().Set("Count", fmt.Sprint(count))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestReplicatedOutcallsAskForEachNodeAndCompareWhatComes(t *testing.T) {
	const (
		diverged  = "2No consensus could be reached. Replicas had different responses. Details: request_id: "
		transform = `; transform = opt record { function = func "SELF"."constant"; context = blob "" }`
	)
	url, asked := ticker(t)
	for mode, rows := range map[Outcalls][]struct {
		text  string
		asks  int64
		wants string
	}{
		AllowOutcalls: {
			{`url = "URL/"; method = variant { get }; headers = vec {}`, 1, ""},
		},
		ReplicatedOutcalls: {
			{`url = "URL/"; method = variant { get }; headers = vec {}`, 13, diverged},
			{`url = "URL/"; method = variant { head }; headers = vec {}`, 13, diverged},
			{`url = "URL/same"; method = variant { get }; headers = vec {}`, 13, ""},
			{`url = "URL/"; method = variant { get }; headers = vec {}` + transform, 13, "transformed"},
			{`url = "URL/"; method = variant { get }; headers = vec {}; is_replicated = opt false`, 1, ""},
			{`url = "URL/"; method = variant { post }; headers = vec {}`, 1, ""},
			{`url = "URL/"; method = variant { put }; headers = vec {}; is_replicated = opt false`, 1, ""},
		},
	} {
		b := browse(t, started(t, Config{Outcalls: mode, OutcallsLocal: true}))
		for _, row := range rows {
			asked.Store(0)
			_, refused := b.outcall(strings.ReplaceAll(row.text, "URL", url))
			if asked.Load() != row.asks || !strings.HasPrefix(refused, row.wants) || row.wants == "" && refused != "" {
				t.Errorf("%s, %s: asked %d times, %q; want %d times, %q", mode, row.text, asked.Load(), refused, row.asks, row.wants)
			}
		}
	}
}

func TestTheRequestsOfOneOutcallBeginInOrderAndOnlySoManyAreMadeAtOnce(t *testing.T) {
	p := newPerformer(nil, slog.New(slog.DiscardHandler))
	p.replicated = true
	var asked, under, most atomic.Int64
	full := make(chan struct{})
	p.fetch = func(context.Context, *replica.Outcall) replica.OutcallAnswer {
		if now := under.Add(1); now > most.Load() {
			most.Store(now)
		}
		if asked.Add(1) == maxNodeRequests {
			close(full)
		}
		<-full
		under.Add(-1)
		return replica.OutcallAnswer{Status: 200}
	}
	o := &driver.Outcall{PendingOutcall: replica.PendingOutcall{Nodes: 40, Request: replica.Outcall{Method: http.MethodGet, Replicated: true}}}
	answers := p.fetchAll(t.Context(), o)
	if len(answers) != 40 || asked.Load() != 40 || most.Load() > maxNodeRequests {
		t.Errorf("%d answers of %d requests, up to %d at once", len(answers), asked.Load(), most.Load())
	}
	for i := range answers {
		if answers[i].Status != 200 {
			t.Errorf("node %d has no answer", i)
		}
	}
}

func TestReplicatedOutcallsCountForTheLimitsByTheirRequests(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newPerformer(nil, slog.New(slog.DiscardHandler))
	p.replicated = true
	p.fetch = func(ctx context.Context, _ *replica.Outcall) (none replica.OutcallAnswer) { <-ctx.Done(); return none }
	var pending []driver.Outcall
	for number := range uint64(10) {
		pending = append(pending, driver.Outcall{PendingOutcall: replica.PendingOutcall{Number: number, Nodes: 13, Request: replica.Outcall{Method: http.MethodGet, Replicated: true}}})
	}
	p.begin(ctx, pending)
	if want := maxCanisterOutcalls / 13 * 13; p.made != want || len(p.held) != 3 {
		t.Errorf("%d requests of one canister are made and %d outcalls held, want %d and 3", p.made, len(p.held), want)
	}
	cancel()
	for range p.made {
		p.end(<-p.ended)
	}
	p.running.Wait()
	if p.made != 0 || len(p.making) != 0 {
		t.Errorf("%d are made of %d canisters after all ended", p.made, len(p.making))
	}
}
