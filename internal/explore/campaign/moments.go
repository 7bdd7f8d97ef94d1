package campaign

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/replica"
)

// Moment is a state of a run, with the message that led to it.
type Moment struct {
	Step     *harness.Step       // the message; nil: the state before the first
	Sender   principal.Principal // of the message: the user, or the canister at the other end; empty for a task
	Value    string              // its argument or its reply in Candid text; "" for none
	Line     string              // what the message is, as in Explain
	Observed []Observation       // the state after it
	Broken   []string            // why invariants do not hold in the state, although some need to hold only at rest
}

// Observation is what a query returns in a state.
type Observation struct {
	Canister principal.Principal
	Query    string // the method, with its arguments
	Value    string // in Candid text, or why there is none
}

// Moments makes the run of a finding again and returns its states: that before the first message, and those after the
// messages that Explain lists, at most MaxMoments. More is the number of messages beyond that. The state is what the
// queries of invariants and goals return, the observed queries, and those without arguments of the canisters of the run.
// Moments ends early if the configuration expires.
func (f *Finding) Moments(config *Config) (all []Moment, more int, err error) {
	if !f.hasRun() {
		return nil, 0, nil
	}
	full := config.withDefaults()
	l, err := harness.New(&full.Setup, f.Schedule.Operations)
	if err != nil {
		return nil, 0, err
	}
	defer l.Close()
	shown := f.shown(&full.Setup)
	r := l.Begin(f.Schedule.Plan)
	defer r.Close()
	r.KeepPayloads()
	queries, picker := full.askedQueries(f), search.Follow(f.Schedule.Deviations)
	all = append(all, Moment{Observed: full.ask(r, queries), Broken: full.broken(r)})
	for len(shown) > 0 && len(all) <= MaxMoments {
		moves := r.Moves()
		if len(moves) == 0 || r.Cut() {
			break
		}
		r.Take(picker.Pick(moves))
		steps := r.Steps()
		if s := steps[len(steps)-1]; s.Move == shown[0].Move {
			all = append(all, full.moment(r, s, queries))
			shown = shown[1:]
		}
	}
	return all, len(shown), nil
}

// moment describes the state after a message.
func (c *Config) moment(r *harness.Run, s *harness.Step, queries []harness.Query) Moment {
	m := Moment{Step: s, Line: line(&c.Setup, s), Observed: c.ask(r, queries), Broken: c.broken(r)}
	switch s.Kind {
	case replica.MoveIngress:
		if position, err := positionOf(harness.OperationOf(s.Move)); err == nil {
			in := &c.Setup.Operations[position].Message
			m.Sender, m.Value = in.Sender, c.argumentText(s.Canister, s.Method, in.Arg)
		}
	case replica.MoveRequest:
		m.Sender, m.Value = s.Peer, c.argumentText(s.Canister, s.Method, r.Payload(s.Move))
	case replica.MoveResponse:
		if m.Sender = s.Peer; s.Rejected == nil {
			m.Value = c.Setup.WithNames(c.ReplyText(s.Peer, s.Method, r.Payload(s.Move)))
		}
	}
	m.Value = clipped(m.Value, maxShown)
	return m
}

// argumentText returns an argument in Candid text, with field names if the module of the canister has a Candid interface.
func (c *Config) argumentText(id principal.Principal, method string, arg []byte) string {
	if file, found := c.interfaceOf(id); found {
		if m, declared := file.Method(method); declared {
			if values, err := m.DecodeArgs(arg); err == nil {
				return c.Setup.WithNames(candid.FormatArgs(values))
			}
		}
	}
	values, _, err := candid.Decode(arg)
	if err != nil {
		return "not Candid"
	}
	return c.Setup.WithNames(candid.FormatArgs(values))
}

// askedQueries returns the queries that show the state of a run, at most maxAsked.
func (c *Config) askedQueries(f *Finding) (all []harness.Query) {
	add := func(queries ...harness.Query) {
		for _, q := range queries {
			same := func(o harness.Query) bool {
				return o.Canister == q.Canister && o.Method == q.Method && bytes.Equal(o.Arg, q.Arg)
			}
			if len(all) < maxAsked && !slices.ContainsFunc(all, same) {
				all = append(all, q)
			}
		}
	}
	for _, p := range c.Properties {
		if p, ok := p.(*property.Invariant); ok {
			add(p.Queries()...)
		}
	}
	for i := range c.Sometimes {
		add(c.Sometimes[i].Condition.Queries()...)
	}
	for i := range c.Maximize {
		add(c.Maximize[i].Query)
	}
	add(c.Observe...)
	add(c.declaredQueries(f.Steps, c.Setup.Operations[f.Schedule.Operations[0]].Message.Sender)...)
	slices.SortStableFunc(all, func(a, b harness.Query) int {
		return cmp.Compare(c.Setup.NameOf(a.Canister), c.Setup.NameOf(b.Canister))
	})
	return all
}

// ask returns what queries return in the present state.
func (c *Config) ask(r *harness.Run, queries []harness.Query) (all []Observation) {
	for i := range queries {
		q := &queries[i]
		all = append(all, Observation{q.Canister, c.titleOf(q), clipped(c.queryText(r, q), maxShown)})
	}
	return all
}

// broken says which invariants do not hold in the present state, and why.
func (c *Config) broken(r *harness.Run) (all []string) {
	for _, p := range c.Properties {
		switch p.(type) {
		case *property.Invariant, *property.Stated:
			for _, v := range p.AtRest(r) {
				if why := clipped(oneLine(v.Text), maxShown); !slices.Contains(all, why) { // a schedule repeats an invariant
					all = append(all, why)
				}
			}
		}
	}
	return all
}

// Exceptions say how the run of a finding differs from FIFO order without faults.
func (f *Finding) Exceptions(setup *harness.Setup) (all []string) {
	if len(f.Schedule.Deviations)+len(f.Schedule.Plan) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(f.Schedule.Words(setup, f.Steps)), "\n")
	for _, line := range lines[1:] {
		_, words, _ := strings.Cut(line, ") ")
		all = append(all, words)
	}
	return all
}
