package rehearse

import (
	"context"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/candid/generated"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// asked returns the queries to compare: those without arguments, and the given ones.
func (r *rehearsal) asked() []Query {
	all := slices.Clone(r.Queries)
	for _, m := range r.before.GetMethods() {
		if m.GetKind() == "update" || generated.Method(m.GetName()) || r.old == nil {
			continue
		}
		given := slices.ContainsFunc(r.Queries, func(q Query) bool {
			return q.Call.GetCanisterId() == r.Canister && q.Call.GetMethod() == m.GetName() && q.Call.GetSender() == r.Sender
		})
		if typed, found := r.old.Method(m.GetName()); found && !given && len(typed.Args) == 0 {
			all = append(all, Query{m.GetName(), &controlv1.Call{CanisterId: r.Canister, Method: m.GetName(), Sender: r.Sender}})
		}
	}
	for _, q := range all {
		q.Call.ReplyForm = controlv1.Form_FORM_BYTES
	}
	return all
}

// ask returns the answer of a fork to a query, as callers of the old interface read it.
func (r *rehearsal) ask(ctx context.Context, f *fork, q Query) (string, error) {
	got, err := f.Daemon.Calls.Query(ctx, &controlv1.QueryRequest{Instance: f.name, Call: q.Call})
	if err != nil {
		if reason, _ := remote.Reason(err); reason != "" {
			return "refused: " + remote.Stated(err), nil
		}
		return "", err
	}
	if reject := got.GetOutcome().GetReject(); reject != nil {
		return "rejected (" + reject.GetErrorCode() + ")", nil
	}
	return r.read(q.Call, got.GetOutcome().GetReply().GetBytes()), nil
}

// read returns a reply as text, with the types of the old interface if it has them; in hex if it is not Candid.
func (r *rehearsal) read(call *controlv1.Call, reply []byte) string {
	if r.old != nil && call.GetCanisterId() == r.Canister {
		if typed, found := r.old.Method(call.GetMethod()); found {
			values, err := typed.DecodeResults(reply)
			if err == nil {
				return candid.FormatArgs(values)
			}
		}
	}
	values, _, err := candid.Decode(reply)
	if err != nil {
		return fmt.Sprintf("%x", reply)
	}
	return candid.FormatArgs(values)
}

// answers are the answers to queries, by their titles.
type answers map[string]string

// askAll asks a fork all queries.
func (r *rehearsal) askAll(ctx context.Context, f *fork, all []Query) (answers, error) {
	got := answers{}
	for _, q := range all {
		answer, err := r.ask(ctx, f, q)
		if err != nil {
			return nil, err
		}
		got[q.Title] = answer
	}
	return got, nil
}

// limited returns as many queries as are compared.
func limited(all []Query) []Query { return all[:min(len(all), MaxQueries)] }

// steady returns the queries of the old module whose answers do not depend on the time, with their answers.
func (r *rehearsal) steady(ctx context.Context) ([]Query, answers, error) {
	all := limited(r.asked())
	before, err := r.askAll(ctx, r.control, all)
	if err != nil {
		return nil, nil, err
	}
	later, err := r.another(ctx, r.control.name)
	if err != nil {
		return nil, nil, err
	}
	if _, err := later.rounds(ctx, VolatileRounds); err != nil {
		return nil, nil, err
	}
	then, err := r.askAll(ctx, later, all)
	if err != nil {
		return nil, nil, err
	}
	return slices.DeleteFunc(all, func(q Query) bool { return before[q.Title] != then[q.Title] }), before, nil
}

// queries compares answers before and after the upgrade.
func (r *rehearsal) queries(ctx context.Context) error {
	const name = "queries"
	all, before, err := r.steady(ctx)
	if err != nil {
		return err
	}
	after, err := r.askAll(ctx, r.after, all)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		r.verdict.skip(name, "there is none without arguments whose answer stays the same for some rounds, and none was named")
		return nil
	}
	r.verdict.add(name, fmt.Sprintf("compared: %d of %d", len(all), len(r.asked())), Failed, r.differ(all, before, after)...)
	return nil
}

// differ lists the queries whose answers differ, without those that may.
func (r *rehearsal) differ(all []Query, before, after answers) (findings []string) {
	for _, q := range all {
		if a, b := before[q.Title], after[q.Title]; a != b && !slices.Contains(r.MayDiffer, q.Call.GetMethod()) {
			findings = append(findings, fmt.Sprintf("%s: %s became %s", q.Title, short(a), short(b)))
		}
	}
	return findings
}

// short shortens an answer.
func short(answer string) string {
	if len(answer) > MaxAnswerBytes {
		return answer[:MaxAnswerBytes] + "…"
	}
	return answer
}
