package real

import (
	"encoding/hex"
	"fmt"
	"regexp"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// What probers with hooks do elsewhere than in updates and queries:
//
//	api-keep NAMES KEPT CALLS        keeps a program: pre-upgrade, heartbeat, timer, low-memory, inspect, transform are run by
//	                                 the hooks of these names; reply, reject, cleanup, other by closures
//	api-told NAMES KEPT [BACK]       tells what it said in the newest record of the log, or some records before
//	api-upgrade NAMES CALLS          upgrades; the calls are canister_post_upgrade's
//	api-answered NAMES KEPT CALLS    an update that leaves the answer to a closure, which ran the kept program
//	api-replicated NAMES CALLS       a query method called as an update
//	api-compose NAMES CALLS          a composite query
//	api-composed NAMES KEPT CALLS    one that leaves the answer to a closure
//	api-inspected NAMES              an update that inspection refuses with what its program said
//	api-transformed LABEL            what a transform that trapped with it had to say, from the answer to a message that tells
//	api-arg NAME CALLS               gives a program a name, for the argument of a call to "run", "mute" or "ask"
//
// A closure is answering:KEPT, logging:KEPT or trapping:KEPT: it runs the program and answers with what
// that said, logs it, or traps with it in hexadecimal.

var closureForm = regexp.MustCompile(`\b(answering|logging|trapping):([\w-]+)`)

// closures returns a program with its closures as numbers.
func (p *performer) closures(text string) string {
	return closureForm.ReplaceAllStringFunc(text, func(found string) string {
		parts := closureForm.FindStringSubmatch(found)
		fn, env, err := canistertest.Closure(parts[1], parts[2])
		if err != nil {
			p.t.Fatal(err)
		}
		return fmt.Sprintf("%d %d", fn, env)
	})
}

// spelled is the text of a trap in hexadecimal, the last where there are more.
var spelled = regexp.MustCompile("^(?s:.*)`ic0.trap` with message: '([0-9a-f]*)'")

// saidIn tells what a program said, from an answer or from the text of a reject; other texts as they are.
func (p *performer) saidIn(program *canistertest.Probe, reply []byte, failed bool, text string) []string {
	if failed {
		parts := spelled.FindStringSubmatch(text)
		if parts == nil {
			return []string{text}
		}
		bytes, err := hex.DecodeString(parts[1])
		if err != nil {
			return []string{text}
		}
		reply = bytes
	}
	return program.Said(reply, readable)
}

func (p *performer) saidInAnswer(program *canistertest.Probe, a Answer) []string {
	return p.saidIn(program, a.Reply, a.Status != "replied", printable(a.String()))
}

func (p *performer) saidInQuery(program *canistertest.Probe, r replica.QueryResult) []string {
	return p.saidIn(program, r.Reply, r.Reject != nil || r.Refusal != nil, shownQuery(r))
}

func (p *performer) remembered(kept string) *canistertest.Probe {
	p.t.Helper()
	program := p.kept[kept]
	if program == nil {
		p.t.Fatalf("no program is kept as %q", kept)
	}
	return program
}

func (p *performer) apiKeep(rest string) {
	names, rest := cut(rest)
	kept, text := cut(rest)
	p.probed(names+" "+text, func(name string, program *canistertest.Probe) []string {
		keeping := new(canistertest.Probe)
		if err := keeping.Keep(kept, program); err != nil {
			p.t.Fatal(err)
		}
		p.kept[kept] = program
		if a := p.Call(name, "run", keeping.Bytes()); a.Status != "replied" {
			return []string{p.shown(a)}
		}
		return nil
	})
}

func (p *performer) apiTold(rest string) {
	names, rest := cut(rest)
	kept, back := cut(rest)
	p.probed(names, func(name string, _ *canistertest.Probe) []string {
		return p.logged(name, p.remembered(kept), p.back(back))
	})
}

func (p *performer) back(word string) int {
	if word == "" {
		return 0
	}
	return p.number(word)
}

// logged tells what a program said in a record of the log.
func (p *performer) logged(name string, program *canistertest.Probe, back int) []string {
	log := &p.Canister(p.ID(name)).Logs
	if log.Len() <= back {
		return []string{"nothing is logged"}
	}
	return program.Said(log.At(log.Len()-1-back).Content, readable)
}

func (p *performer) apiUpgrade(rest string) {
	p.probed(rest, func(name string, program *canistertest.Probe) []string {
		if a := p.Install(name, Upgrade, p.modules[name], program.Bytes()); a.Status != "replied" {
			return []string{p.shown(a)}
		}
		return p.logged(name, program, 0)
	})
}

func (p *performer) apiAnswered(rest string) {
	names, rest := cut(rest)
	kept, text := cut(rest)
	p.probed(names+" "+text, func(name string, program *canistertest.Probe) []string {
		return p.saidInAnswer(p.remembered(kept), p.Call(name, "mute", program.Bytes()))
	})
}

func (p *performer) apiReplicated(rest string) {
	p.probed(rest, func(name string, program *canistertest.Probe) []string {
		return p.saidInAnswer(program, p.Call(name, "ask", program.Bytes()))
	})
}

func (p *performer) apiCompose(rest string) {
	p.probed(rest, func(name string, program *canistertest.Probe) []string {
		return p.saidInQuery(program, p.Query(name, "compose", program.Bytes()))
	})
}

func (p *performer) apiComposed(rest string) {
	names, rest := cut(rest)
	kept, text := cut(rest)
	p.probed(names+" "+text, func(name string, program *canistertest.Probe) []string {
		return p.saidInQuery(p.remembered(kept), p.Query(name, "composing", program.Bytes()))
	})
}

func (p *performer) apiInspected(rest string) {
	p.probed(rest, func(name string, _ *canistertest.Probe) []string {
		_, refused := p.Submit(name, "run", nil)
		return p.saidIn(p.remembered("inspect"), nil, true, printable(refused))
	})
}

func (p *performer) apiTransformed(rest string) {
	for _, line := range p.saidIn(p.remembered("transform"), nil, true, string(p.Answer(p.labels[rest]).Reply)) {
		p.say("%s", line)
	}
}

func (p *performer) apiArg(rest string) {
	name, text := cut(rest)
	p.args[name] = "0x" + hex.EncodeToString(p.probe(text).Bytes())
}
