package replicatest

import "strings"

// run calls a puppet and runs rounds until it has answered.
func (p *performer) run(words []string) {
	p.say("%s", printable(p.stage.Run(p.number(words[0]), strings.Join(words[1:], " "))))
}
