package control

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// clientProperty is a property that the client of an exploration answers for.
type clientProperty struct {
	title     string
	lines     []string // of the queries
	queries   []harness.Query
	each      bool // after each message, too
	config    *campaign.Config
	questions *questionQueue // set before the exploration begins
}

// Name returns the title.
func (p *clientProperty) Name() string { return p.title }

// Queries returns the queries whose results the client sees. One that its canister does not have refuses the exploration.
func (p *clientProperty) Queries() []harness.Query { return p.queries }

// AtRest asks the client about a run at rest.
func (p *clientProperty) AtRest(r *harness.Run) []property.Violation { return p.check(r, true) }

// AfterMessage asks the client about a run after a message, if it wants to be asked then.
func (p *clientProperty) AfterMessage(r *harness.Run) []property.Violation {
	if !p.each {
		return nil
	}
	return p.check(r, false)
}

// check asks the client about the present state of a run.
func (p *clientProperty) check(r *harness.Run, atRest bool) []property.Violation {
	o := p.observe(r, atRest)
	v := p.questions.ask(o.key(), o.question)
	switch {
	case v.holds:
		return nil
	case v.text == "":
		return []property.Violation{{Property: p.title, Text: p.title + " does not hold"}}
	}
	return []property.Violation{{Property: p.title, Text: fmt.Sprintf("%s does not hold: %s", p.title, v.text)}}
}

// observation is the part of a run's state that the client sees.
type observation struct {
	*clientProperty
	atRest  bool
	answers []harness.Answer
	results []result // of the queries
}

// result is the result of a query.
type result struct {
	reply []byte
	err   error
}

// observe makes the queries of the property.
func (p *clientProperty) observe(r *harness.Run, atRest bool) *observation {
	o := &observation{clientProperty: p, atRest: atRest, answers: r.Answers()}
	for i := range p.queries {
		reply, err := r.Query(&p.queries[i])
		o.results = append(o.results, result{reply, err})
	}
	return o
}

// key returns a hash of the observation.
func (s *observation) key() [sha256.Size]byte {
	var all strings.Builder
	fmt.Fprintf(&all, "%q %v\n", s.title, s.atRest)
	for _, a := range s.answers {
		fmt.Fprintf(&all, "%q\n", a)
	}
	for _, r := range s.results {
		fmt.Fprintf(&all, "%x %q\n", r.reply, fmt.Sprint(r.err))
	}
	return sha256.Sum256([]byte(all.String()))
}

// question returns the question to the client.
func (s *observation) question() *controlv1.ExploreQuestion {
	out := &controlv1.ExploreQuestion{Title: s.title, AtRest: s.atRest}
	for _, a := range s.answers {
		o := &s.config.Setup.Operations[a.Position]
		shown := &controlv1.ExploreAnswer{Operation: a.Operation, Title: o.Title}
		switch {
		case a.Open:
			shown.Answer = &controlv1.ExploreAnswer_Open{Open: true}
		case a.Reject != nil:
			reject := rejectOf(a.Reject, nil, o.Message.Receiver)
			reject.Backtrace = nil
			shown.Answer = &controlv1.ExploreAnswer_Reject{Reject: reject}
		default:
			shown.Answer = &controlv1.ExploreAnswer_Reply{Reply: s.reply(&harness.Query{Canister: o.Message.Receiver, Method: o.Message.Method}, a.Reply)}
		}
		out.Answers = append(out.Answers, shown)
	}
	for i, r := range s.results {
		shown := &controlv1.ExploreObserved{Query: s.lines[i]}
		if r.err != nil {
			shown.Result = &controlv1.ExploreObserved_Error{Error: strings.ToValidUTF8(r.err.Error(), "\uFFFD")}
		} else {
			shown.Result = &controlv1.ExploreObserved_Reply{Reply: s.reply(&s.queries[i], r.reply)}
		}
		out.Observed = append(out.Observed, shown)
	}
	return out
}

// reply returns a reply of a method with its text.
func (s *observation) reply(of *harness.Query, bytes []byte) *controlv1.ExploreReply {
	return &controlv1.ExploreReply{Bytes: bytes, Text: s.config.ReplyText(of.Canister, of.Method, bytes)}
}

// readClientProperties reads the properties that the client answers for.
func readClientProperties(c *campaign.Config, in *controlv1.ExploreProperties, names *property.Names) error {
	if len(in.GetAsked()) > maxAsked {
		return BadField.Refuse("properties.asked", len(in.GetAsked()), "a client answers for at most 100 properties")
	}
	for _, one := range in.GetAsked() {
		title := one.GetTitle()
		switch same := func(p property.Property) bool { return p.Name() == title }; {
		case title == "" || len(title) > maxAskedTitle:
			return BadField.Refuse("properties.asked.title", title, "it has 1 to 100 bytes")
		case slices.ContainsFunc(c.Properties, same):
			return BadField.Refuse("properties.asked.title", title, "another property has this title")
		case len(one.GetQueries()) > maxAsked:
			return BadField.Refuse("properties.asked.queries", len(one.GetQueries()), "a property has at most 100 queries")
		}
		p := &clientProperty{title: title, lines: one.GetQueries(), each: one.GetEachMessage(), config: c}
		for _, line := range p.lines {
			q, err := names.ParseQuery(line)
			if err != nil {
				return BadField.Refuse("properties.asked.queries", line, err)
			}
			p.queries = append(p.queries, *q)
		}
		c.Properties = append(c.Properties, p)
	}
	return nil
}

// readAnswerTime reads how long questions wait for answers.
func readAnswerTime(in *controlv1.ExploreProperties) (time.Duration, error) {
	if in.GetAnswerTime() == nil {
		return defaultAnswerTime, nil
	}
	wait := in.GetAnswerTime().AsDuration()
	if in.GetAnswerTime().CheckValid() != nil || wait <= 0 || wait > maxAnswerTime {
		return 0, BadField.Refuse("properties.answer_time", wait, "a question waits for more than nothing and at most 10 minutes")
	}
	return wait, nil
}

// clientProperties returns the properties of an exploration that its client answers for.
func clientProperties(c *campaign.Config) (all []*clientProperty) {
	for _, p := range c.Properties {
		if a, ok := p.(*clientProperty); ok {
			all = append(all, a)
		}
	}
	return all
}
