package real

import (
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// run calls the method "run" of a scriptable canister.
func (p *performer) run(rest string) {
	name, program := cut(rest)
	p.answered(p.Submit(name, "run", p.program(program)))
}

// call calls a method.
func (p *performer) call(rest string) {
	name, rest := cut(rest)
	method, program := cut(rest)
	p.answered(p.Submit(name, method, p.program(program)))
}

// manage calls the management canister.
func (p *performer) manage(rest string) {
	method, rest := cut(rest)
	name, fields := cut(rest)
	p.answered(p.SubmitManagement(name, method, p.About(name, fields)))
}

// program returns a program of the scriptable canister as bytes.
func (p *performer) program(text string) []byte {
	p.t.Helper()
	program, err := canistertest.Parse(text, p.Names)
	if err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	return program.Bytes()
}

// answered says the answer to a message, or keeps its label.
func (p *performer) answered(id replica.RequestID, refused string) {
	p.t.Helper()
	switch {
	case refused != "":
		p.say("%s", printable(refused))
	case p.label != "":
		p.labels[p.label] = id
	default:
		p.say("%s", p.shown(p.Await(id)))
	}
}
