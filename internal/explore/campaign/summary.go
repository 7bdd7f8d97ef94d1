package campaign

import (
	"fmt"
	"strings"
)

// Conclusion returns lines that say how much was run, and what the absence of findings means.
func (r *Report) Conclusion() string {
	var all strings.Builder
	fmt.Fprintf(&all, "%d runs, %d messages. %s\n", r.Runs, r.Messages, r.verdict())
	fmt.Fprintf(&all, "Coverage: %s.", &r.Coverage)
	if r.repeats() {
		fmt.Fprintf(&all, "\nOnly %d of %d runs are different: more runs of these operations are unlikely to show anything else. Add operations (--op), or allow more faults (--faults).", r.Coverage.Distinct, r.Runs)
	}
	if r.Unfinished > 0 {
		fmt.Fprintf(&all, "\n%d runs were ended after %d messages, before they came to rest: what must hold at rest was not checked there.", r.Unfinished, maxMessages)
	}
	return all.String()
}

// repeats reports whether the budget was spent on runs that are mostly the same.
func (r *Report) repeats() bool {
	return !r.Exhausted && r.Coverage.Distinct > 0 && r.Runs >= repetitions*r.Coverage.Distinct
}

// verdict says whether all orders were run, and under which faults.
func (r *Report) verdict() string {
	if !r.Exhausted {
		return "Not all orders were run: what was not found may still be there."
	}
	text := fmt.Sprintf("All %d orders of these %d operations were run, without faults", r.Classes, len(r.Operations))
	if len(r.Operations) == 1 {
		text = fmt.Sprintf("All orders of this operation (%d) were run, without faults", r.Classes)
	}
	switch {
	case r.ExhaustedFaults && len(r.FaultKinds) == 0:
		text += "; no message can have a fault of these kinds"
	case r.ExhaustedFaults:
		names := make([]string, len(r.FaultKinds))
		for i, kind := range r.FaultKinds {
			names[i] = kind.String()
		}
		text += fmt.Sprintf(" and with each single fault (%s)", strings.Join(names, ", "))
	}
	if r.violations() == 0 {
		text += ": no violation"
		if suspicions := len(r.Findings); suspicions > 0 {
			text += fmt.Sprintf(", suspicions: %d", suspicions)
		}
	}
	return text + "."
}

// Summary returns the conclusion and the counts of answers to each operation. The counts show whether operations
// succeed at all: an exploration of operations that always fail finds nothing.
func (r *Report) Summary() string {
	lines := []string{r.Conclusion()}
	for _, o := range r.Operations {
		lines = append(lines, fmt.Sprintf("%s: %d replied, %d rejected, %d trapped, %d open", o.Title, o.Replied, o.Rejected, o.Trapped, o.Open))
	}
	return strings.Join(lines, "\n")
}
