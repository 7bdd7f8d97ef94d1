package campaign

import (
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/search"
)

// Shown is one answer or one query, after one operation followed the other, and after the run of a finding.
type Shown struct {
	Title         string
	Serial, Found string // values in Candid text, or why there is none
}

// noArguments is the argument of a query without arguments.
var noArguments = []byte("DIDL\x00\x00")

// Differences are the answers and the queries without arguments that differ between the first serial order of a finding's
// operations and its run. Queries are asked as the user of the first operation.
func (f *Finding) Differences(config *Config) (all []Shown, err error) {
	if len(f.Schedule.Operations) == 0 {
		return nil, nil
	}
	full := config.withDefaults()
	full.Setup.Expired = nil // a report is complete
	b, l, err := newBench(&full, f.Schedule.Operations)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	queries := full.readable(f)
	shown := func(plan harness.Plan, picker search.Picker) (texts []string) {
		r := l.Begin(plan)
		defer r.Close()
		search.Drive(r, picker, maxMessages)
		for _, a := range r.Answers() {
			to := &full.Setup.Operations[a.Position].Message
			texts = append(texts, full.answerText(to.Receiver, to.Method, &a))
		}
		for i := range queries {
			reply, err := r.Query(&queries[i])
			if err != nil {
				texts = append(texts, err.Error())
				continue
			}
			texts = append(texts, full.ReplyText(queries[i].Canister, queries[i].Method, reply))
		}
		return texts
	}
	serial, found := shown(nil, search.Serial(serialOrders(b.chosen)[0])), shown(f.Schedule.Plan, search.Follow(f.Schedule.Deviations))
	for i := range serial {
		if serial[i] == found[i] {
			continue
		}
		var title string
		if answers := len(f.Schedule.Operations); i < answers {
			position := f.Schedule.Operations[i]
			title = "answer to " + harness.OperationName(position) + ", " + full.Setup.Operations[position].Title
		} else {
			q := &queries[i-answers]
			title = full.Setup.NameOf(q.Canister) + " " + q.Method
		}
		all = append(all, Shown{title, serial[i], found[i]})
	}
	return all, nil
}

// readable are the queries of the canisters of a run. Those that have arguments refuse the empty one, or ignore it.
func (c *Config) readable(f *Finding) (all []harness.Query) {
	var seen []principal.Principal
	sender := c.Setup.Operations[f.Schedule.Operations[0]].Message.Sender
	for i := range f.Steps {
		id := f.Steps[i].Canister
		k := c.Setup.Base.Canister(id)
		if k == nil || k.Module() == nil || slices.Contains(seen, id) {
			continue
		}
		seen = append(seen, id)
		for _, m := range k.Module().Methods() {
			if m.Kind == canister.QueryMethod && !strings.HasPrefix(m.Name, "__") {
				all = append(all, harness.Query{Canister: id, Sender: sender, Method: m.Name, Arg: noArguments})
			}
		}
	}
	return append(all, c.Observe...)
}

func (c *Config) answerText(id principal.Principal, method string, a *harness.Answer) string {
	switch {
	case a.Open:
		return "not answered"
	case a.Reject != nil:
		return "rejected: " + a.Reject.String()
	}
	return c.ReplyText(id, method, a.Reply)
}

// ReplyText is a reply in Candid text, with the names of the canister's interface where its module has one.
func (c *Config) ReplyText(id principal.Principal, method string, reply []byte) string {
	if file, found := c.interfaceOf(id); found {
		if m, declared := file.Method(method); declared {
			if values, err := m.DecodeResults(reply); err == nil {
				return candid.FormatArgs(values)
			}
		}
	}
	values, _, err := candid.Decode(reply)
	if err != nil {
		return "not Candid"
	}
	return candid.FormatArgs(values)
}
