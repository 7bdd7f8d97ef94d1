package control

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

const (
	// maxExploreOperations limits the operations of an exploration, maxExploreRuns its runs, and maxExploreFaults the faults
	// of a run. Ours.
	maxExploreOperations = 100
	maxExploreRuns       = 10_000_000
	maxExploreFaults     = 8
	// maxExploreWaits limits how often a run waits for a timer. Ours.
	maxExploreWaits = 1000
)

// explorationRefused takes the error of an exploration, for example about an operation that the network did not accept.
var explorationRefused = reason("EXPLORATION_REFUSED", codes.InvalidArgument, "%v")

type explorer struct {
	controlv1.UnimplementedExplorerServer
	*Server
}

// Explore explores operations on forks of an instance.
func (s *explorer) Explore(in *controlv1.ExploreRequest, stream grpc.ServerStreamingServer[controlv1.ExploreResponse]) error {
	ctx, done := s.until(stream.Context())
	defer done()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	out := newOutbox(ctx, end, stream.Send)
	report, err := s.runExploration(ctx, in, func(c *campaign.Config) (func(), error) {
		return s.connectClient(ctx, end, c, in.GetProperties(), func(q *controlv1.ExploreQuestions) error {
			return out.send(&controlv1.ExploreResponse{Step: &controlv1.ExploreResponse_Questions{Questions: q}})
		})
	}, out)
	if err != nil {
		return err
	}
	return out.send(&controlv1.ExploreResponse{Step: &controlv1.ExploreResponse_Report{Report: report}})
}

// exploreUnary is Explore as a unary RPC, without progress.
func (s *explorer) exploreUnary(ctx context.Context, in *controlv1.ExploreRequest) (*controlv1.ExploreReport, error) {
	if n := len(in.GetProperties().GetAsked()); n > 0 {
		return nil, BadField.Refuse("properties.asked", n, "a unary call cannot ask the client: Explorer.Explore over gRPC can")
	}
	ctx, done := s.until(ctx)
	defer done()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	out := newOutbox(ctx, end, func(*controlv1.ExploreResponse) error { return nil })
	return s.runExploration(ctx, in, func(*campaign.Config) (func(), error) { return func() {}, nil }, out)
}

// connectClient makes the properties that the client answers for send their questions with send, until done is called.
func (s *explorer) connectClient(ctx context.Context, end context.CancelCauseFunc, c *campaign.Config, in *controlv1.ExploreProperties, send func(*controlv1.ExploreQuestions) error) (done func(), err error) {
	all := clientProperties(c)
	patience, err := readAnswerTime(in)
	if err != nil || len(all) == 0 {
		return func() {}, err
	}
	queue, done := s.newQuestionQueue(ctx, end, patience)
	for _, p := range all {
		p.questions = queue
	}
	go queue.run(send)
	return done, nil
}

// runExploration runs an exploration. It calls ready once the configuration is read, and what that returns at the end.
func (s *explorer) runExploration(ctx context.Context, in *controlv1.ExploreRequest, ready func(*campaign.Config) (func(), error), out *outbox[controlv1.ExploreResponse]) (*controlv1.ExploreReport, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	base, err := i.Frozen(ctx, in.GetSnapshot())
	if err != nil {
		return nil, err
	}
	defer base.Close()
	config, err := s.readConfig(ctx, i, in, base)
	if err != nil {
		return nil, err
	}
	end, err := ready(config)
	if err != nil {
		return nil, err
	}
	defer end()
	over, err := s.endable(config, in.GetExploration())
	if err != nil {
		return nil, err
	}
	defer over()
	tell := progress{out: out, next: time.Now().Add(progressInterval), workers: func() int { return 0 }}
	if in.GetExternalWorkers() {
		queue, err := s.distribute(ctx, in, config, base)
		if err != nil {
			return nil, err
		}
		defer queue.Close()
		tell.workers = func() int { count, _ := queue.Workers(); return count }
		if err := out.send(progressStep(&controlv1.ExploreProgress{})); err != nil { // workers may join now
			return nil, err
		}
	}
	done, err := prepare(config)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := useCorpus(config, in, &tell); err != nil {
		return nil, err
	}
	config.Progress = tell.report
	var report *campaign.Report
	err = contain.Run(func() (err error) {
		report, err = campaign.Run(config)
		return err
	})
	var missing *campaign.PoolError
	bug := new(contain.Bug)
	switch {
	case contain.DamageIn(err) != nil, errors.As(err, &bug):
		return nil, fmt.Errorf("instance %q cannot be explored: %w", i.Name(), err)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &missing):
		return nil, workersFailed.Refuse(err)
	case err != nil:
		return nil, explorationRefused.Refuse(err)
	}
	answer, err := shownReport(config, report)
	if err == nil && in.GetHtml() {
		answer.Html, err = report.Page(config)
	}
	return answer, err
}

// checkLimits rejects requests that exceed a limit.
func checkLimits(in *controlv1.ExploreRequest) error {
	for _, limit := range []struct {
		field     string
		value     int
		most      int
		otherwise string
	}{
		{"before", len(in.GetBefore()), maxExploreOperations, "at most 100 calls are made before an exploration"},
		{"any", len(in.GetAny()), maxExploreOperations, "calls of at most 100 canisters are drawn"},
		{"arguments", len(in.GetArguments()), maxExploreOperations, "the arguments of at most 100 methods are limited"},
		{"operations", len(in.GetOperations()), maxExploreOperations, "at most 100 operations are explored at a time"},
		{"corpus", len(in.GetCorpus()), campaign.MaxCorpus, "an exploration begins with at most 1,000 runs of a corpus"},
		{"runs", int(in.GetRuns()), maxExploreRuns, "at most 10,000,000 runs are made"},
		{"faults", int(in.GetFaults()), maxExploreFaults, "a run has at most 8 faults"},
		{"waits", int(in.GetWaits()), maxExploreWaits, "a run waits at most 1,000 times"},
	} {
		if limit.value > limit.most {
			return BadField.Refuse(limit.field, limit.value, limit.otherwise)
		}
	}
	return nil
}

// readConfig reads the configuration of an exploration.
func (s *explorer) readConfig(ctx context.Context, i *instance.Instance, in *controlv1.ExploreRequest, base *replica.Network) (*campaign.Config, error) {
	if err := checkLimits(in); err != nil {
		return nil, err
	}
	if n := len(in.GetProperties().GetAsked()); n > 0 && in.GetExternalWorkers() {
		return nil, BadField.Refuse("properties.asked", n, "workers of other processes cannot ask the client: leave external_workers or these properties out")
	}
	if len(in.GetOperations())+len(in.GetAny()) == 0 {
		return nil, MissingField.Refuse("operations", "the messages that are delivered in every order")
	}
	c := &campaign.Config{
		Seed: in.GetSeed(), Runs: int(in.GetRuns()), Faults: int(in.GetFaults()), Stop: int(in.GetStop()), Workers: int(in.GetWorkers()),
	}
	if c.Workers == 0 || c.Workers > runtime.GOMAXPROCS(0) {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	var end time.Time
	if in.GetTime() != nil {
		end = time.Now().Add(in.GetTime().AsDuration())
	}
	c.Expired = func() bool { return ctx.Err() != nil || !end.IsZero() && time.Now().After(end) }
	names, err := readProperties(c, in, base)
	if err != nil {
		return nil, err
	}
	if err := readFaultKinds(c, in, names); err != nil {
		return nil, err
	}
	if err := readOutside(c, in, names); err != nil {
		return nil, err
	}
	c.Setup.Waits, c.Setup.Blocks = campaign.DefaultWaits, in.GetBlocks()
	if in.Waits != nil {
		c.Setup.Waits = int(in.GetWaits())
	}
	if c.Before, err = s.readOperations(ctx, i, in.GetBefore()); err != nil {
		return nil, err
	}
	if c.Setup.Operations, err = s.readOperations(ctx, i, in.GetOperations()); err != nil {
		return nil, err
	}
	nameTitles(c)
	if err := readDrawn(c, in, names); err != nil {
		return nil, err
	}
	return c, checkKinds(c, in)
}

// nameTitles puts references in the places of literal ids in the titles of operations, as in those of properties.
func nameTitles(c *campaign.Config) {
	for _, all := range [][]harness.Operation{c.Before, c.Setup.Operations} {
		for i := range all {
			all[i].Title = c.Setup.WithNames(all[i].Title)
		}
	}
}

// checkKinds rejects kinds of faults whose preconditions the request does not meet, because they cannot happen.
func checkKinds(c *campaign.Config, in *controlv1.ExploreRequest) error {
	retried := slices.ContainsFunc(c.Setup.Operations, func(o harness.Operation) bool { return o.Retried })
	for _, needs := range []struct {
		kind  harness.FaultKind
		given bool
		what  string
	}{
		{harness.Upgrade, len(c.Setup.Upgrades) > 0, "no module was given to which a canister is upgraded (upgrades; --upgrade)"},
		{harness.OtherAnswer, len(c.Setup.Outcalls) > 1, "it needs at least two answers to HTTP outcalls (outcalls; --outcall)"},
		{harness.SendTwice, retried, "no operation may be sent twice (retried; --twice)"},
		{harness.Silent, len(in.GetUntrusted()) > 0, "no canister is untrusted (untrusted; --untrusted)"},
	} {
		if slices.Contains(c.Kinds, needs.kind) && !needs.given {
			return BadField.Refuse("fault_kinds", needs.kind, needs.what)
		}
	}
	return nil
}

// prepare makes the calls before the runs, if there are any, on a copy of the base. The caller frees it with done.
func prepare(c *campaign.Config) (done func(), err error) {
	if len(c.Before) == 0 {
		return func() {}, nil
	}
	base, done, err := harness.Prepare(c.Setup.Base, 0, c.Before)
	if err != nil {
		return nil, explorationRefused.Refuse(err)
	}
	c.Setup.Base = base
	return done, nil
}

// readOperations reads operations in their order.
func (s *explorer) readOperations(ctx context.Context, i *instance.Instance, in []*controlv1.ExploreOperation) (all []harness.Operation, err error) {
	for _, o := range in {
		operation, err := s.readOperation(ctx, i, o)
		if err != nil {
			return nil, err
		}
		all = append(all, operation)
	}
	return all, nil
}

// readFaultKinds reads the faults that may happen, and the untrusted canisters.
func readFaultKinds(c *campaign.Config, in *controlv1.ExploreRequest, names *property.Names) error {
	for _, name := range in.GetFaultKinds() {
		kind, err := harness.ParseFault(name)
		if err != nil {
			return BadField.Refuse("fault_kinds", name, err)
		}
		c.Kinds = append(c.Kinds, kind)
	}
	untrusted := map[principal.Principal]bool{}
	for _, name := range in.GetUntrusted() {
		id, err := names.Find(name)
		if err != nil {
			return BadField.Refuse("untrusted", name, err)
		}
		untrusted[id] = true
	}
	c.Untrusted = func(id principal.Principal) bool { return untrusted[id] }
	return nil
}

// outsideRequest is a request with modules of upgrades and answers to HTTP outcalls.
type outsideRequest interface {
	GetUpgrades() []*controlv1.ExploreUpgrade
	GetOutcalls() []*controlv1.ExploreOutcall
}

// readOutside reads modules of upgrades and answers to HTTP outcalls.
func readOutside(c *campaign.Config, in outsideRequest, names *property.Names) error {
	c.Setup.Upgrades = map[principal.Principal]harness.NextModule{}
	for _, u := range in.GetUpgrades() {
		id, err := names.Find(u.GetCanister())
		if err != nil {
			return BadField.Refuse("upgrades.canister", u.GetCanister(), err)
		}
		next := harness.NextModule{Module: u.GetModule()}
		if len(u.GetArgument()) > 0 {
			next.Arg = u.GetArgument()
		}
		c.Setup.Upgrades[id] = next
	}
	for _, o := range in.GetOutcalls() {
		if o.GetStatus() < 100 || o.GetStatus() > 599 {
			return BadField.Refuse("outcalls.status", o.GetStatus(), "a status of HTTP is 100 to 599")
		}
		c.Setup.Outcalls = append(c.Setup.Outcalls, replica.OutcallAnswer{Status: uint16(o.GetStatus()), Body: o.GetBody()})
	}
	return nil
}

// propertiesRequest is a request with properties and names of canisters.
type propertiesRequest interface {
	GetProperties() *controlv1.ExploreProperties
	GetNames() map[string]string
	GetIncludeGenerated() bool
}

// readProperties reads the base, the names of canisters, and the properties that runs are checked for.
func readProperties(c *campaign.Config, in propertiesRequest, base *replica.Network) (*property.Names, error) {
	c.Setup.Base, c.NoBuiltin = base, in.GetProperties().GetOnlyStated()
	c.Setup.Generated = in.GetIncludeGenerated()
	names, err := readPropertyNames(c, in.GetNames())
	if err != nil {
		return nil, err
	}
	if !c.NoBuiltin {
		c.Properties = property.StatedBy(base, c.Setup.NameOf)
	}
	if err := readLines(c, in.GetProperties(), names); err != nil {
		return nil, err
	}
	return names, readClientProperties(c, in.GetProperties(), names)
}

// readPropertyNames reads the names of canisters and identities. If two names have a principal, the first is shown.
func readPropertyNames(c *campaign.Config, in map[string]string) (*property.Names, error) {
	ids, shown, all := map[string]principal.Principal{}, map[principal.Principal]string{}, slices.Sorted(maps.Keys(in))
	for _, name := range all {
		id, err := readPrincipal("names", in[name])
		if err != nil {
			return nil, err
		}
		ids[name] = *id
		if shown[*id] == "" {
			shown[*id] = name
		}
	}
	c.Setup.Name = func(id principal.Principal) string { return shown[id] }
	c.Setup.Principal = func(name string) (principal.Principal, bool) {
		if id, known := ids[name]; known {
			return id, true
		}
		id, err := principal.Parse(name)
		return id, err == nil
	}
	return &property.Names{Canister: c.Setup.Principal, Name: c.Setup.Name, Known: all, Argument: c.Argument}, nil
}

// readLines parses the lines of invariants and goals.
func readLines(c *campaign.Config, in *controlv1.ExploreProperties, names *property.Names) error {
	for _, line := range in.GetInvariants() {
		p, err := names.ParseInvariant(line)
		if err != nil {
			return BadField.Refuse("properties.invariants", line, err)
		}
		c.Properties = append(c.Properties, p)
	}
	for _, line := range in.GetSometimes() {
		p, err := names.ParseInvariant(line)
		if err != nil {
			return BadField.Refuse("properties.sometimes", line, err)
		}
		c.Sometimes = append(c.Sometimes, property.Sometimes{Title: p.Title, Condition: *p})
	}
	for _, line := range in.GetMaximize() {
		q, err := names.ParseQuery(line)
		if err != nil {
			return BadField.Refuse("properties.maximize", line, err)
		}
		c.Maximize = append(c.Maximize, property.Maximize{Title: names.Title(line), Query: *q})
	}
	for _, line := range in.GetObserve() {
		q, err := names.ParseQuery(line)
		if err != nil {
			return BadField.Refuse("properties.observe", line, err)
		}
		c.Observe = append(c.Observe, *q)
	}
	return nil
}

// readOperation reads an operation, with its arguments at the types of the canister's interface.
func (s *explorer) readOperation(ctx context.Context, i *instance.Instance, in *controlv1.ExploreOperation) (harness.Operation, error) {
	given := in.GetCall()
	if in.GetDrawn() && given != nil {
		given = proto.CloneOf(given)
		given.Argument = &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: noArguments}}
	}
	call, err := (&calls{Server: s.Server}).prepareCall(ctx, i, given)
	if err != nil {
		return harness.Operation{}, err
	}
	o := operationOf(in, replica.Ingress{Sender: call.sender, Receiver: call.receiver, Effective: call.effective, Method: call.method, Arg: call.arg})
	if o.Title == "" {
		o.Title = call.receiver.String() + "." + call.method
	}
	return o, nil
}
