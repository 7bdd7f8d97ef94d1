package campaign

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// Difference is a value that differs between a run and a serial run of its operations.
type Difference struct {
	Canister      string // name of the canister; "" for the answer to an operation
	Title         string // the answer, the query, or the cycles of the canister
	Serial, Found string // values in Candid text, or why there is none
}

// Compare sets the differences between the run of a finding and the first serial order of its operations: answers, the
// queries without arguments of the canisters of the run, observed queries, and cycles. The sender of the first
// operation sends the queries. A replay that does not violate its property is not compared.
func (f *Finding) Compare(config *Config) error {
	if len(f.Schedule.Operations) == 0 || f.compared || f.Outcome > StillFails {
		return nil
	}
	full := config.withDefaults()
	full.Setup.Expired = nil // findings are compared even if the time is over
	b, l, err := newBaseline(&full, f.Schedule.Operations)
	if err != nil {
		return err
	}
	defer l.Close()
	b.compare(l, f)
	return nil
}

// compare is Finding.Compare on a baseline with the operations of the finding.
func (b *baseline) compare(l *harness.Harness, f *Finding) {
	f.Differences, f.compared = nil, true
	queries := b.config.comparedQueries(f)
	serial := b.valuesAfter(l, f, queries, nil, search.Serial(serialOrders(b.chosen)[0]))
	found := b.valuesAfter(l, f, queries, f.Schedule.Plan, search.Follow(f.Schedule.Deviations))
	for i, d := range found {
		if d.Serial = serial[i].Found; d.Serial != d.Found {
			f.Differences = append(f.Differences, d)
		}
	}
}

// valuesAfter makes a run and returns its values in the field Found.
func (b *baseline) valuesAfter(l *harness.Harness, f *Finding, queries []harness.Query, plan harness.Plan, picker search.Picker) (all []Difference) {
	r, setup := l.Begin(plan), &b.config.Setup
	defer r.Close()
	search.Drive(r, picker, maxMessages)
	for _, a := range r.Answers() {
		to := &setup.Operations[a.Position]
		title := "answer to " + harness.OperationName(a.Position) + ", " + to.Title
		all = append(all, Difference{Title: title, Found: b.config.answerText(to.Message.Receiver, to.Message.Method, &a)})
	}
	for _, id := range canistersOf(f) {
		name := setup.NameOf(id)
		for i := range queries {
			if q := &queries[i]; q.Canister == id {
				all = append(all, Difference{Canister: name, Title: b.config.titleOf(q), Found: b.config.queryText(r, q)})
			}
		}
		if gain := r.Gain(id); gain != nil {
			all = append(all, Difference{Canister: name, Title: "cycles gained", Found: gain.String()})
		}
	}
	for i := range queries { // of canisters that take no part in the run
		if q := &queries[i]; !slices.Contains(canistersOf(f), q.Canister) {
			all = append(all, Difference{Canister: setup.NameOf(q.Canister), Title: b.config.titleOf(q), Found: b.config.queryText(r, q)})
		}
	}
	return all
}

// titleOf returns a query with its arguments.
func (c *Config) titleOf(q *harness.Query) string {
	if values, _, err := candid.Decode(q.Arg); err == nil && len(values) > 0 {
		return q.Method + candid.Brief(values, maxCell, c.Setup.Name)
	}
	return q.Method
}

// canistersOf returns the canisters of a run, in the order of their first messages.
func canistersOf(f *Finding) (all []principal.Principal) {
	for _, s := range f.Steps {
		if !slices.Contains(all, s.Canister) {
			all = append(all, s.Canister)
		}
	}
	return all
}

// comparedQueries returns the queries of the canisters of a run and the observed queries. All queries get empty
// arguments: those that need arguments reject them, or ignore that they are empty.
func (c *Config) comparedQueries(f *Finding) (all []harness.Query) {
	sender := c.Setup.Operations[f.Schedule.Operations[0]].Message.Sender
	for _, id := range canistersOf(f) {
		k := c.Setup.Base.Canister(id)
		if k == nil || k.Module() == nil {
			continue
		}
		for _, m := range k.Module().Methods() {
			if m.Kind == canister.QueryMethod && !strings.HasPrefix(m.Name, "__") {
				all = append(all, harness.Query{Canister: id, Sender: sender, Method: m.Name, Arg: noArguments})
			}
		}
	}
	for _, q := range c.Observe {
		same := func(o harness.Query) bool {
			return o.Canister == q.Canister && o.Method == q.Method && bytes.Equal(o.Arg, q.Arg)
		}
		if !slices.ContainsFunc(all, same) {
			all = append(all, q)
		}
	}
	return all
}

// queryText returns the result of a query as text.
func (c *Config) queryText(r *harness.Run, q *harness.Query) string {
	reply, err := r.Query(q)
	if err != nil {
		return err.Error()
	}
	return c.namedReply(q.Canister, q.Method, reply)
}

// differenceTable returns the differences as a table, "" if there are none. The values of a canister follow its name.
func (f *Finding) differenceTable() string {
	if len(f.Differences) == 0 {
		return ""
	}
	rows, canister := [][3]string{{"  different", "one after the other", "in this run"}}, ""
	for _, d := range f.Differences {
		title := "  " + d.Title
		if d.Canister != "" {
			if d.Canister != canister {
				rows = append(rows, [3]string{"  " + d.Canister})
			}
			title = "  " + title
		}
		canister = d.Canister
		rows = append(rows, [3]string{title, cell(d.Serial), cell(d.Found)})
	}
	var widths [3]int
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	var all strings.Builder
	for _, row := range rows {
		line := fmt.Sprintf("%-*s  %-*s  %s", widths[0], row[0], widths[1], row[1], row[2])
		all.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return all.String()
}

// cell returns a value in one line.
func cell(text string) string { return clipped(strings.Join(strings.Fields(text), " "), maxCell) }
