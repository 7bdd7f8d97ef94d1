package replicatest

import "fmt"

// rules lists the rules.
func (p *performer) rules([]string) {
	for _, r := range p.stage.Rules() {
		line := fmt.Sprintf("rule %d %s %s: %d seen, %d matched", r.ID, r.Match.Kind, r.Action.Kind, r.Seen, r.Matched)
		if r.Passed > 0 {
			line += fmt.Sprintf(", %d passed", r.Passed)
		}
		p.say("%s", line)
	}
}
