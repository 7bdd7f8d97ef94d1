package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Outcalls configures the HTTP outcalls that canisters make.
type Outcalls = instance.OutcallMode

const (
	// AllowOutcalls makes the requests, https or http.
	AllowOutcalls = instance.AllowOutcalls
	// HoldOutcalls keeps them for a client of the control API, or the embedding program (Daemon.Outcalls,
	// Daemon.AnswerOutcall), to answer; after a minute of the network's time without an answer they are rejected.
	HoldOutcalls = instance.HoldOutcalls
	// DenyOutcalls rejects them at once.
	DenyOutcalls = instance.DenyOutcalls
	// StrictOutcalls makes the requests that mainnet makes: only https, otherwise like ReplicatedOutcalls.
	StrictOutcalls = instance.StrictOutcalls
	// ReplicatedOutcalls makes the requests, https or http: GET and HEAD once for each node of the subnet. The answers
	// are compared as in consensus. Without a transform, or if it leaves a date in, they differ, and the canister gets
	// a reject.
	ReplicatedOutcalls = instance.ReplicatedOutcalls
)

// ParseOutcalls reads the name of a mode.
func ParseOutcalls(name string) (Outcalls, error) {
	var names []string
	for o := AllowOutcalls; o <= instance.LastOutcalls; o++ {
		if name == o.String() {
			return o, nil
		}
		names = append(names, o.String())
	}
	return 0, fmt.Errorf("invalid HTTP outcall mode %q: expected one of %s", name, strings.Join(names, ", "))
}

// deniedOutcall is the reject message if outcalls are denied.
const deniedOutcall = "HTTP outcalls are denied on this network (canisterd start --outcalls=deny)"

// maxOutcalls limits concurrent outcalls, maxCanisterOutcalls those of one canister: others need not wait for the slow
// servers of one.
const (
	maxOutcalls         = 500
	maxCanisterOutcalls = 100
)

// maxNodeRequests limits the concurrent requests of one replicated outcall; further nodes follow in order. An
// application subnet has 13.
const maxNodeRequests = 13

// performer makes the outcalls of a network's canisters: one request for all nodes of a subnet, or one for each.
type performer struct {
	driver     *driver.Driver
	log        *slog.Logger
	replicated bool // one request for each node
	fetch      func(ctx context.Context, request *replica.Outcall) replica.OutcallAnswer

	generation uint64                         // of the instance, when seen was written
	seen       map[principal.Principal]uint64 // by subnet: the number of the next outcall to look at
	held       map[outcallID]bool             // seen, but there was no room for them
	making     map[principal.Principal]int    // by canister: concurrent requests that its outcalls may have
	made       int                            // the sum of making
	ended      chan principal.Principal       // the canister of each request that has ended
	running    sync.WaitGroup
}

// outcallID identifies an outcall.
type outcallID struct {
	subnet principal.Principal
	number uint64
}

func newPerformer(d *driver.Driver, log *slog.Logger) *performer {
	return &performer{
		driver: d, log: log, fetch: deny,
		seen: make(map[principal.Principal]uint64), making: make(map[principal.Principal]int), ended: make(chan principal.Principal, maxOutcalls),
	}
}

// perform makes outcalls until ctx ends, and then cancels the current ones.
func (p *performer) perform(ctx context.Context) {
	defer p.running.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.driver.OutcallsMade():
		case canister := <-p.ended:
			p.end(canister)
			if len(p.held) == 0 {
				continue
			}
		}
		pending, err := p.driver.Outcalls(ctx)
		if err != nil {
			return // the driver has ended, or is about to
		}
		p.begin(ctx, pending)
	}
}

// begin starts outcalls while there is room. A held outcall that is no longer pending has timed out: it is not made.
// After a restore the numbers start again: all outcalls are new.
func (p *performer) begin(ctx context.Context, pending []driver.Outcall) {
	if len(pending) > 0 && pending[0].Generation != p.generation {
		p.generation, p.held = pending[0].Generation, nil
		clear(p.seen)
	}
	held := make(map[outcallID]bool)
	for i := range pending {
		o := &pending[i]
		id := outcallID{o.Subnet, o.Number}
		if o.Number < p.seen[o.Subnet] && !p.held[id] {
			continue
		}
		p.seen[o.Subnet] = max(p.seen[o.Subnet], o.Number+1)
		canister := o.Request.Canister
		width := min(p.requestsFor(o), maxNodeRequests)
		if p.made+width > maxOutcalls || p.making[canister]+width > maxCanisterOutcalls {
			held[id] = true
			continue
		}
		p.made += width
		p.making[canister] += width
		begun := *o // a copy, which does not keep the whole list in memory
		p.running.Go(func() {
			contain.Do(func() { p.answer(ctx, &begun) }, p.driver.Fail)
			for range width {
				p.ended <- canister
			}
		})
	}
	p.held = held
}

func (p *performer) end(canister principal.Principal) {
	p.made--
	if p.making[canister]--; p.making[canister] == 0 {
		delete(p.making, canister)
	}
}

// requestsFor returns the number of requests for an outcall: one for each node of the committee of a flexible outcall;
// otherwise one, or one for each node if the answers are compared and a request changes nothing at the server.
func (p *performer) requestsFor(o *driver.Outcall) int {
	method := o.Request.Method
	if o.Request.Flexible() {
		return len(o.Request.Members)
	}
	if p.replicated && o.Request.Replicated && (method == http.MethodGet || method == http.MethodHead) {
		return o.Nodes
	}
	return 1
}

// answer makes an outcall.
func (p *performer) answer(ctx context.Context, o *driver.Outcall) {
	log := p.log.With("canister", o.Request.Canister, "http_method", o.Request.Method, "url", o.Request.URL)
	answers := p.fetchAll(ctx, o)
	if ctx.Err() != nil {
		return
	}
	for i := range answers {
		if reject := answers[i].Reject; reject != nil {
			log.Debug("outcall failed", "node", i, "reject_code", reject.Code, "reject_message", reject.Text)
		} else {
			log.Debug("outcall", "node", i, "status", answers[i].Status, "bytes", len(answers[i].Body))
		}
	}
	err := p.driver.AnswerListed(ctx, o, answers...)
	if err != nil && ctx.Err() == nil {
		log.Debug("the outcall was answered or canceled meanwhile", "error", err)
	}
}

// fetchAll makes the requests of an outcall. They start in the order of the nodes, up to maxNodeRequests at once.
func (p *performer) fetchAll(ctx context.Context, o *driver.Outcall) []replica.OutcallAnswer {
	answers := make([]replica.OutcallAnswer, p.requestsFor(o))
	var next atomic.Int64
	fetch := func() {
		for i := int(next.Add(1)) - 1; i < len(answers); i = int(next.Add(1)) - 1 {
			answers[i] = p.fetch(ctx, &o.Request)
		}
	}
	var others sync.WaitGroup
	for range min(len(answers), maxNodeRequests) - 1 {
		others.Go(func() { contain.Do(fetch, p.driver.Fail) })
	}
	fetch()
	others.Wait()
	return answers
}

// deny is the fetch function of networks without outcalls.
func deny(context.Context, *replica.Outcall) replica.OutcallAnswer {
	return rejected(intercanister.SysFatal, deniedOutcall)
}

func rejected(code intercanister.RejectCode, format string, args ...any) replica.OutcallAnswer {
	return replica.OutcallAnswer{Reject: &intercanister.Reject{Code: code, Text: fmt.Sprintf(format, args...)}}
}

// Outcalls returns the HTTP outcalls that wait for an answer, ordered by subnet and number.
func (d *Daemon) Outcalls(ctx context.Context) ([]driver.Outcall, error) {
	return d.Driver().Outcalls(ctx)
}

// AnswerOutcall answers the HTTP outcall with a number, also while it is being made. The error is a *refusal.Refusal if
// it is no longer pending or the answer is malformed.
func (d *Daemon) AnswerOutcall(ctx context.Context, in *replica.HTTPAnswer) error {
	err := d.Driver().Answer(ctx, in)
	if refused := new(refusal.Refusal); err != nil && !errors.As(err, &refused) {
		return fmt.Errorf("answering HTTP outcall %d of subnet %s: %w", in.Number, in.Subnet, err)
	}
	return err
}

// MakeOutcalls makes the outcalls of an instance, or denies them, until ctx ends.
func (f *frontend) MakeOutcalls(ctx context.Context, i *instance.Instance) {
	p, mode := newPerformer(i.Driver(), f.log), i.About().Outcalls
	if mode != DenyOutcalls {
		client := newOutcallClient(mode == StrictOutcalls, f.reach)
		defer client.close()
		p.fetch = client.fetch
		p.replicated = mode == ReplicatedOutcalls || mode == StrictOutcalls
	}
	p.perform(ctx)
}
