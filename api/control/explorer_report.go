package control

import (
	"maps"
	"slices"
	"time"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// progressInterval is the minimum time between two messages about the progress of an exploration. Ours.
const progressInterval = time.Second

// shownCoverage returns the message for a coverage.
func shownCoverage(c *campaign.Coverage) *controlv1.ExploreCoverage {
	return &controlv1.ExploreCoverage{
		Distinct: uint64(c.Distinct), Races: uint64(c.Races), Reversed: uint64(c.Reversed), Edges: uint64(c.Edges),
		Faults: uint64(c.Faults), Tried: uint64(c.Tried), Blocks: uint64(c.Blocks),
	}
}

// shownReport returns the message for a report.
func shownReport(c *campaign.Config, r *campaign.Report) (*controlv1.ExploreReport, error) {
	out := &controlv1.ExploreReport{
		Runs: uint64(r.Runs), Messages: uint64(r.Messages), Classes: uint64(r.Classes), Exhausted: r.Exhausted, ExhaustedFaults: r.ExhaustedFaults,
		Unfinished: uint64(r.Unfinished), Coverage: shownCoverage(&r.Coverage), Conclusion: r.Conclusion(),
	}
	for _, kind := range r.FaultKinds {
		out.FaultKinds = append(out.FaultKinds, kind.String())
	}
	for _, f := range r.Findings {
		shown, err := shownFinding(c, f)
		if err != nil {
			return nil, err
		}
		out.Findings = append(out.Findings, shown)
	}
	for _, o := range r.Operations {
		out.Operations = append(out.Operations, &controlv1.ExploreOperationCount{
			Title: o.Title, Replied: uint64(o.Replied), Rejected: uint64(o.Rejected), Trapped: uint64(o.Trapped), Open: uint64(o.Open),
		})
	}
	for _, a := range r.Awaits {
		shown := &controlv1.ExploreAwait{Caller: a.Caller, Callee: a.Callee, Runs: uint64(a.Runs)}
		for _, kind := range slices.Sorted(maps.Keys(a.Tried)) {
			shown.Tried = append(shown.Tried, &controlv1.ExploreTried{Fault: kind.String(), Runs: uint64(a.Tried[kind])})
		}
		out.Awaits = append(out.Awaits, shown)
	}
	for _, g := range r.Reached {
		out.Reached = append(out.Reached, &controlv1.ExploreGoal{Title: g.Title, Runs: uint64(g.Runs)})
	}
	for _, x := range r.Largest {
		shown := &controlv1.ExploreExtreme{Title: x.Title, In: x.In}
		if x.Value != nil {
			shown.Value = x.Value.RatString()
		}
		if x.Found != nil {
			found, err := shownFinding(c, x.Found)
			if err != nil {
				return nil, err
			}
			shown.Found = found
		}
		out.Largest = append(out.Largest, shown)
	}
	return out, nil
}

// shownDifferences returns the messages for the differences of a finding's state from the state of a serial order.
func shownDifferences(f *campaign.Finding) (all []*controlv1.ExploreDifference) {
	for _, d := range f.Differences {
		all = append(all, &controlv1.ExploreDifference{
			Canister: d.Canister, Title: d.Title, Serial: valid(d.Serial), Found: valid(d.Found),
		})
	}
	return all
}

// shownPoint returns the message for a point of a run, nil for none.
func shownPoint(p *campaign.Point) *controlv1.ExplorePoint {
	if p == nil {
		return nil
	}
	return &controlv1.ExplorePoint{Message: p.Message, Violating: uint32(p.Violating), Continuations: uint32(p.Of)}
}

// shownFinding returns the message for a finding.
func shownFinding(c *campaign.Config, f *campaign.Finding) (*controlv1.ExploreFinding, error) {
	out := &controlv1.ExploreFinding{
		Property: f.Property, Method: f.Method, Text: f.Text, Suspicion: f.Suspicion, Run: uint64(f.Run), Phase: f.Phase, Others: uint64(f.Others),
		Explanation: f.Explain(&c.Setup), Mermaid: f.Mermaid(&c.Setup), Differences: shownDifferences(f),
		Also: f.Also, Certain: shownPoint(f.Certain), Likely: shownPoint(f.Likely),
	}
	if f.Canister.Len() > 0 {
		out.CanisterId = f.Canister.String()
	}
	if len(f.Schedule.Operations) == 0 {
		return out, nil // it is about all runs, and has no schedule
	}
	file := f.File(c)
	text, err := schedule.Write(file)
	if err != nil {
		return nil, err
	}
	out.Schedule = string(text)
	for _, u := range file.Upgrades {
		out.Upgrades = append(out.Upgrades, u.Canister)
	}
	return out, nil
}
