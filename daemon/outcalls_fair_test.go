package daemon

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

func TestTheSlowServersOfOneCanisterDelayNoOtherOutcalls(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newPerformer(nil, slog.New(slog.DiscardHandler))
	var lock sync.Mutex
	var asked []string
	begun := make(chan struct{}, maxOutcalls)
	p.fetch = func(ctx context.Context, request *replica.Outcall) (none replica.OutcallAnswer) {
		lock.Lock()
		asked = append(asked, request.URL)
		lock.Unlock()
		begun <- struct{}{}
		<-ctx.Done()
		return none
	}
	defer p.running.Wait()
	defer cancel()
	begins := func(pending []driver.Outcall, want int) {
		t.Helper()
		p.begin(ctx, pending)
		for range want {
			<-begun
		}
		if p.made != len(asked) {
			t.Fatalf("%d outcalls were begun, want %d", p.made, len(asked))
		}
	}

	slow, quick := principal.Canister(1), principal.Canister(2)
	var pending []driver.Outcall
	add := func(canister principal.Principal, url string) {
		number := uint64(len(pending))
		pending = append(pending, driver.Outcall{PendingOutcall: replica.PendingOutcall{Number: number, Request: replica.Outcall{Canister: canister, URL: url}}})
	}
	for range maxCanisterOutcalls {
		add(slow, "slow")
	}
	add(slow, "late")
	add(slow, "next")
	add(quick, "quick")
	begins(pending, maxCanisterOutcalls+1)
	if !slices.Contains(asked, "quick") || slices.Contains(asked, "late") {
		t.Errorf("of two canisters' outcalls these were made first: %q", asked)
	}

	begins(pending, 0) // the room is the same as before

	p.end(slow)
	p.made++ // as asked counts it
	pending = slices.DeleteFunc(pending, func(o driver.Outcall) bool { return o.Request.URL == "late" })
	begins(pending, 1)
	if slices.Contains(asked, "late") || asked[len(asked)-1] != "next" {
		t.Errorf("an outcall that had timed out was made: %q", asked[maxCanisterOutcalls:])
	}

	p.end(slow)
	p.made++
	begins(nil, 0)
	if len(p.held) != 0 {
		t.Errorf("%d outcalls that are over are still held", len(p.held))
	}
}

func TestOnlySoManyOutcallsAreMadeAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newPerformer(nil, slog.New(slog.DiscardHandler))
	p.fetch = func(ctx context.Context, _ *replica.Outcall) (none replica.OutcallAnswer) { <-ctx.Done(); return none }
	var pending []driver.Outcall
	for number := range uint64(2 * maxOutcalls) {
		pending = append(pending, driver.Outcall{PendingOutcall: replica.PendingOutcall{Number: number, Request: replica.Outcall{Canister: principal.Canister(number)}}})
	}
	p.begin(ctx, pending)
	if p.made != maxOutcalls || len(p.held) != maxOutcalls {
		t.Errorf("of %d outcalls %d are made and %d held, want %d each", len(pending), p.made, len(p.held), maxOutcalls)
	}
	cancel()
	for range maxOutcalls {
		p.end(<-p.ended)
	}
	p.running.Wait()
	if p.made != 0 || len(p.making) != 0 {
		t.Errorf("%d are made of %d canisters after all ended", p.made, len(p.making))
	}
}

func TestOutcallsOfARestoredNodeAreMadeAgain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newPerformer(nil, slog.New(slog.DiscardHandler))
	begun := make(chan string, 10)
	p.fetch = func(ctx context.Context, request *replica.Outcall) (none replica.OutcallAnswer) {
		begun <- request.URL
		<-ctx.Done()
		return none
	}
	defer p.running.Wait()
	defer cancel()
	outcalls := func(url string, generation uint64) []driver.Outcall {
		return []driver.Outcall{{PendingOutcall: replica.PendingOutcall{Number: 0, Request: replica.Outcall{Canister: principal.Canister(1), URL: url}}, Generation: generation}}
	}
	p.begin(ctx, outcalls("before", 0))
	p.begin(ctx, outcalls("before", 0))
	p.begin(ctx, outcalls("after", 1))
	p.begin(ctx, outcalls("after", 1))
	cancel()
	p.running.Wait()
	close(begun)
	made := make(map[string]int)
	for url := range begun {
		made[url]++
	}
	if made["before"] != 1 || made["after"] != 1 {
		t.Errorf("made were %v", made)
	}
}
