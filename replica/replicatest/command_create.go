package replicatest

import "fmt"

// create makes canisters with code and cycles, and prints nothing.
func (p *performer) create(words []string) {
	p.stage.Listen(nil)
	p.stage.Create(p.number(words[0]), 1_000_000_000_000_000)
	p.stage.Listen(p)
	p.say("%s", fmt.Sprint(words[0], " canisters"))
}
