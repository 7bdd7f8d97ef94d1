package replicatest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/replica"
)

// Scripts runs every script of a folder as a test of its own (package golden).
//
// The commands, one file each (command_*.go):
//
//	network [slice=N] [messages=N] [best-effort=BYTES] [subnets=KIND,KIND]
//	                                                     makes the network; first
//	create COUNT                                         canisters with code and many cycles
//	submit LABEL N METHOD ARG                            hands in a message
//	run N PROGRAM                                        submits, runs rounds until answered
//	round [COUNT]                                        runs rounds
//	step [COUNT]                                         makes single moves, first in first out
//	moves                                                lists the legal moves
//	cycles N AMOUNT                                      gives a canister cycles out of nothing
//	advance SECONDS                                      moves time
//	answer LABEL                                         where a message stands
//	canister N                                           what there is to say of a canister
//	census                                               what is open
//	record, told, forget, trace                          what is recorded, and call trees of it (Recording)
//	rule [KIND] [from N] [to N] [method M] [skip N] [times N] DO
//	                                                     makes a rule; KIND is request, response or ingress, N a canister,
//	                                                     user or management, DO hold, drop, unknown, mock, delay SECONDS, or an ANSWER
//	unrule RULE [release], rules, held                   forgets a rule; lists rules, and what they hold
//	release ID, drop ID, settle ID ANSWER                test controls of held messages
//	settle #CALL [on SUBNET] ANSWER                      answers a call that waits; ANSWER is reply TEXT, reject CODE TEXT or unknown
//	futures, contexts, queues, timers [LIMIT] [of N]     lists, in pages of LIMIT
//	fire N, cancel N                                     test controls of a global timer
//	migrate N SUBNET                                     moves a canister to the subnet at a position
//	fork NAME                                            makes a second network at the same point, which stands still
//	switch NAME                                          continue in that network; the current one is kept under its name, at first "main"
//	diff NAME                                            what the present one and that one have that differs
//	export FILE, import FILE NAME                        writes the present one; makes a second network of what was written
//
// Each event is printed on its own line; canisters are called by
// their numbers.
func Scripts(t *testing.T, folder string) {
	golden.Scripts(t, folder, beginner(func(testing.TB) Between { return nil }))
}

// Between returns the network that continues in place of another, which was made with a configuration; the events must
// be the same.
type Between func(t testing.TB, n *replica.Network, config replica.Config) *replica.Network

// ScriptsBetween is Scripts with another network that continues before each command and each round. Each script begins
// with its own Between.
func ScriptsBetween(t *testing.T, folder string, begin func(testing.TB) Between) {
	golden.SameScripts(t, folder, beginner(begin))
}

// beginner makes the performer of a script.
func beginner(begin func(testing.TB) Between) func(testing.TB) golden.Performer {
	return func(t testing.TB) golden.Performer {
		return &performer{
			t: t, labels: make(map[string]replica.RequestID), between: begin(t),
			here: "main", others: make(map[string]*Stage), files: make(map[string]exported),
		}
	}
}

// performer runs a script.
type performer struct {
	t      testing.TB
	stage  *Stage
	said   strings.Builder
	labels map[string]replica.RequestID

	recording Recording
	between   Between

	here   string              // the name of the present network
	others map[string]*Stage   // kept networks, by name
	files  map[string]exported // by name
}

// command executes a line with a word at its beginning.
type command func(p *performer, words []string)

func commands() map[string]command {
	return map[string]command{
		"network": (*performer).network, "create": (*performer).create, "submit": (*performer).submit, "run": (*performer).run,
		"round": (*performer).round, "step": (*performer).step, "moves": (*performer).moves, "advance": (*performer).advance,
		"answer": (*performer).answer, "cycles": (*performer).cycles, "canister": (*performer).canister, "census": (*performer).census,
		"record": (*performer).record, "told": (*performer).told, "forget": (*performer).forget, "trace": (*performer).trace,
		"rule": (*performer).rule, "unrule": (*performer).unrule, "rules": (*performer).rules, "held": (*performer).held,
		"release": (*performer).release, "drop": (*performer).drop, "settle": (*performer).settle,
		"futures": (*performer).futures, "contexts": (*performer).contexts, "queues": (*performer).queues, "timers": (*performer).timers,
		"fire": (*performer).fire, "cancel": (*performer).cancel, "migrate": (*performer).migrate,
		"fork": (*performer).fork, "switch": (*performer).change, "diff": (*performer).diff, "export": (*performer).export, "import": (*performer).imports,
	}
}

// Perform executes a command.
func (p *performer) Perform(line string) error {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	do := commands()[words[0]]
	if do == nil {
		return fmt.Errorf("there is no command %q", words[0])
	}
	if p.stage == nil && words[0] != "network" {
		p.network(nil)
	}
	if p.stage != nil {
		p.stage.Change()
	}
	do(p, words[1:])
	if count := p.stage.Introspect().AuditCycles(); count.Held().Add(count.Spent()) != count.Minted {
		p.t.Errorf("after %q the books do not balance: %+v", line, count)
	}
	return nil
}

// Said returns the output since the last call.
func (p *performer) Said() string {
	defer p.said.Reset()
	return p.said.String()
}

func (p *performer) say(format string, args ...any) { fmt.Fprintf(&p.said, format+"\n", args...) }

// number reads a word that must be a number.
func (p *performer) number(word string) (n int) {
	p.t.Helper()
	if _, err := fmt.Sscan(word, &n); err != nil {
		p.t.Fatalf("%q is not a number", word)
	}
	return n
}
