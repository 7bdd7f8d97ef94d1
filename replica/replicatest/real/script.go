package real

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// Scripts runs every script of a folder as a test of its own (package golden).
//
// The commands, one file each (command_*.go):
//
//	network [WORDS]                       makes the network (command_network.go has the words); first
//	canister NAME [WORDS] [PROGRAM]       creates a canister and installs the scriptable one
//	install NAME MODE [PROGRAM]           installs it again (canisters.go has the modes)
//	run NAME PROGRAM                      calls the update method "run"
//	call NAME METHOD PROGRAM              calls a method
//	query NAME METHOD PROGRAM             asks a query method
//	abandoned NAME METHOD PROGRAM         asks one whose node is closed before it makes a call
//	late COUNT NAME METHOD PROGRAM        asks one whose time is over after it asked COUNT times for it
//	manage METHOD NAME [FIELDS]           calls the management canister; more fields in Candid
//	prober NAME [WORDS] [CALLS]           creates a canister that calls the System API as told
//	api NAME CALLS                        has it do so; api-mute, api-query, api-said; more in command_hooks.go
//	snapshot METHOD NAME [FIELDS]         calls it with all fields in Candid; "#NAME.N" is a snapshot's id, "@NAME" a canister's
//	history NAME COUNT                    the newest changes of the canister
//	queried METHOD NAME [FIELD]           asks a query method of the management canister for a field of its answer
//	asked NAME                            how often the canister was queried, and what that took
//	move NAME SUBNET                      migrates the canister to subnet0, subnet1, ...
//	rename NAME TO                        gives it the id of another, which is deleted
//	delete-subnet SUBNET                  deletes a subnet; the others keep their names
//	user NAME                             who sends from now on; the first is called user
//	do [OPTIONS] METHOD NAME [FIELDS]     like manage, the reply in Candid (command_method.go)
//	ask [OPTIONS] METHOD NAME [FIELDS]    asks a query method of the management canister
//	from NAME [OPTIONS] METHOD NAME [FIELDS]  a scriptable canister calls the management canister
//	round [COUNT]                         runs rounds
//	advance SECONDS                       moves time
//	answer LABEL                          where a message stands
//	status NAME                           what there is to say of a canister
//	logs NAME                             the newest records of its log
//	attest [SIGNER INFO]                  what a canister attests of the user from now on
//	shown NAME                            what the certified tree shows of a canister
//	certified NAME                        its certified data, as verified certificates have it
//	census                                what is open
//	books                                 whether every cycle is accounted for
//	funds NAME                            its cycles, and the memory of its messages
//	outcalls                              the HTTP outcalls that wait for an answer
//	http NUMBER ANSWERS                   answers an HTTP outcall of subnet0; command_http.go has the form
//	reach FROM NAME METHOD                every way to a method: what a user, a canister and queries are answered
//	record, told [KINDS], trace FORM      what is recorded from now on, and call trees of it (replicatest.Recording)
//	silently COMMAND                      performs a command without telling what happens
//	decoded COMMAND                       performs a command whose reply is Candid
//	arg NAME METHOD (VALUES)              an argument of a management method: $NAME from now on
//
// install, run, call and manage run rounds until they are answered and say the
// answer; after "LABEL:" they only hand the message in. Programs are in the textual
// form of package canistertest; names of canisters stand for their ids, and so do
// subnet0, subnet1 for those of subnets. In the values of an argument they follow an
// @ and stand in quotes. Each event is printed on its own line.
func Scripts(t *testing.T, folder string) {
	golden.Scripts(t, folder, beginner(func(testing.TB) replicatest.Between { return nil }))
}

// ScriptsBetween is Scripts with another network that continues before each command and each round. Each script begins
// with its own Between. Those whose names are excluded do not run.
func ScriptsBetween(t *testing.T, folder string, begin func(testing.TB) replicatest.Between, excluded ...string) {
	golden.SameScripts(t, folder, beginner(begin), excluded...)
}

// beginner makes the performer of a script.
func beginner(begin func(testing.TB) replicatest.Between) func(testing.TB) golden.Performer {
	return func(t testing.TB) golden.Performer {
		return &performer{t: t, labels: make(map[string]replica.RequestID), modules: make(map[string][]byte), args: make(map[string]string), kept: make(map[string]*canistertest.Probe), fields: readVocabulary(t), between: begin(t)}
	}
}

// performer runs a script.
type performer struct {
	*Stage
	t       testing.TB
	said    strings.Builder
	labels  map[string]replica.RequestID
	modules map[string][]byte // by canister's name
	args    map[string]string // by name, as programs have bytes
	kept    map[string]*canistertest.Probe
	label   string // of the command that runs, empty for none
	decoded bool   // the command's reply is Candid
	fields  *vocabulary
	quiet   bool // no events are told

	recording replicatest.Recording
	between   replicatest.Between
}

// command executes the rest of a line after the word at its beginning.
type command func(p *performer, rest string)

func commands() map[string]command {
	return map[string]command{
		"shown":   (*performer).shownLeaves,
		"network": (*performer).network, "canister": (*performer).canister, "install": (*performer).install,
		"run": (*performer).run, "call": (*performer).call, "query": (*performer).query, "manage": (*performer).manage,
		"candid": (*performer).candid, "prober": (*performer).prober, "api": (*performer).api, "api-mute": (*performer).apiMute, "api-query": (*performer).apiQuery, "api-said": (*performer).apiSaid,
		"api-keep": (*performer).apiKeep, "api-told": (*performer).apiTold, "api-upgrade": (*performer).apiUpgrade, "api-answered": (*performer).apiAnswered,
		"api-replicated": (*performer).apiReplicated, "api-compose": (*performer).apiCompose, "api-composed": (*performer).apiComposed,
		"api-inspected": (*performer).apiInspected, "api-transformed": (*performer).apiTransformed, "api-arg": (*performer).apiArg,
		"move": (*performer).move, "books": (*performer).books, "rename": (*performer).rename, "delete-subnet": (*performer).deleteSubnet, "queried": (*performer).queried, "asked": (*performer).asked,
		"snapshot": (*performer).snapshot, "history": (*performer).history,
		"round": (*performer).round, "advance": (*performer).advance, "answer": (*performer).answer,
		"user": (*performer).user, "do": (*performer).do, "ask": (*performer).ask, "from": (*performer).from,
		"status": (*performer).status, "logs": (*performer).logs, "certified": (*performer).certified, "census": (*performer).census,
		"arg": (*performer).arg, "outcalls": (*performer).outcalls, "http": (*performer).http,
		"late": (*performer).late, "abandoned": (*performer).abandoned, "funds": (*performer).funds, "attest": (*performer).attest, "set": (*performer).set, "reach": (*performer).reach,
		"record": (*performer).record, "told": (*performer).told, "trace": (*performer).trace,
	}
}

// Said returns the output since the last call.
func (p *performer) Said() string {
	defer p.said.Reset()
	return p.said.String()
}

// Perform executes a command.
func (p *performer) Perform(line string) error {
	word, rest := cut(line)
	if p.Stage != nil {
		p.Change()
	}
	if word == "silently" && p.Stage != nil {
		p.Listen(nil)
		defer p.attend()
		word, rest = cut(rest)
	}
	p.label, p.decoded = "", word == "decoded"
	if p.decoded {
		word, rest = cut(rest)
	}
	if label, ok := strings.CutSuffix(word, ":"); ok {
		p.label = label
		word, rest = cut(rest)
	}
	if word == "" {
		return nil
	}
	do := commands()[word]
	if do == nil {
		return fmt.Errorf("there is no command %q", word)
	}
	if p.Stage == nil && word != "network" {
		p.network("")
	}
	if word != "arg" {
		rest = p.filled(rest)
	}
	do(p, rest)
	return nil
}

// cut returns the first word of a text and the rest.
func cut(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, " \n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// say adds a line to the output; an empty one would end the block of the script.
func (p *performer) say(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); line != "" {
		p.said.WriteString(line + "\n")
	}
}

// number reads a word that must be a number.
func (p *performer) number(word string) (n int) {
	p.t.Helper()
	if _, err := fmt.Sscan(word, &n); err != nil {
		p.t.Fatalf("%q is not a number", word)
	}
	return n
}
