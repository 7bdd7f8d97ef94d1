package report

import (
	"fmt"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// outcomes are the words for the outcomes of replays.
var outcomes = map[controlv1.ReplayOutcome]string{
	controlv1.ReplayOutcome_REPLAY_OUTCOME_STILL_FAILS: "still fails",
	controlv1.ReplayOutcome_REPLAY_OUTCOME_FIXED:       "fixed",
	controlv1.ReplayOutcome_REPLAY_OUTCOME_STALE:       "stale",
}

// Outcome returns the words for an outcome: still fails, fixed or stale.
func Outcome(o controlv1.ReplayOutcome) string { return outcomes[o] }

// Replay describes a replay: its outcome, and its run.
func Replay(r *controlv1.ReplayScheduleResponse) string {
	return Outcome(r.GetOutcome()) + ": " + r.GetExplanation()
}

// States describes the states of a run: all of that before the first message, and of each other what the message before it
// has changed. name returns the name of a canister, and shown the form of a text from a canister.
func States(r *controlv1.ReplayScheduleResponse, name, shown func(string) string) string {
	var all strings.Builder
	known := map[string]string{}
	for number, m := range r.GetMoments() {
		if number == 0 {
			all.WriteString("before the first message\n")
		} else {
			fmt.Fprintf(&all, "after %d  %s\n", number, shown(m.GetLine()))
		}
		if m.GetValue() != "" {
			fmt.Fprintf(&all, "  %s\n", shown(m.GetValue()))
		}
		for _, o := range m.GetObserved() {
			query := name(o.GetCanisterId()) + " " + o.GetQuery()
			if before, found := known[query]; !found {
				fmt.Fprintf(&all, "  %s  %s\n", query, shown(o.GetValue()))
			} else if before != o.GetValue() {
				fmt.Fprintf(&all, "  %s  %s, before %s\n", query, shown(o.GetValue()), shown(before))
			}
			known[query] = o.GetValue()
		}
		for _, why := range m.GetBroken() {
			fmt.Fprintf(&all, "  %s\n", shown(why))
		}
	}
	if more := r.GetMoreMoments(); more > 0 {
		fmt.Fprintf(&all, "%d more messages\n", more)
	}
	return all.String()
}
