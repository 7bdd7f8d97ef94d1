package real

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

// Scripts runs every script of a folder as a test of its own. A script is a text
// of blocks: commands with their words, one a line, the line "----", and what the
// commands are expected to say; blocks are separated by empty lines. Lines that
// begin with # are comments, lines that begin with two spaces continue the one
// before. With rewrite set, the expectations become what was said.
//
// The commands, one file each (command_*.go):
//
//	network [slice=N] [subnets=N]         makes the network; first
//	canister NAME [WORDS] [PROGRAM]       creates a canister and installs the scriptable one
//	install NAME MODE [PROGRAM]           installs it again (canisters.go has the modes)
//	run NAME PROGRAM                      calls the update method "run"
//	call NAME METHOD PROGRAM              calls a method
//	query NAME METHOD PROGRAM             asks a query method
//	manage METHOD NAME [FIELDS]           calls the management canister; more fields in Candid
//	round [COUNT]                         runs rounds
//	advance SECONDS                       moves time
//	answer LABEL                          where a message stands
//	status NAME                           what there is to say of a canister
//	logs NAME                             the newest records of its log
//	certified NAME                        its certified data, as verified certificates have it
//	census                                what is open
//	silently COMMAND                      performs a command without telling what happens
//
// install, run, call and manage run rounds until they are answered and say the
// answer; after "LABEL:" they only hand the message in. Programs are in the textual
// form of package canistertest; names of canisters stand for their ids. What
// happens is told as it happens, one event a line.
func Scripts(t *testing.T, folder string, rewrite bool) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts in %s (%v)", folder, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, path, strings.ReplaceAll(string(raw), "\r\n", "\n"), rewrite)
			if rewrite {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// performer is a script under way.
type performer struct {
	*Stage
	t       testing.TB
	said    strings.Builder
	labels  map[string]replica.RequestID
	modules map[string][]byte // by canister's name
	label   string            // of the command that runs, empty for none
}

// command is what a word at the beginning of a line does with the rest of it.
type command func(p *performer, rest string)

func commands() map[string]command {
	return map[string]command{
		"network": (*performer).network, "canister": (*performer).canister, "install": (*performer).install,
		"run": (*performer).run, "call": (*performer).call, "query": (*performer).query, "manage": (*performer).manage,
		"round": (*performer).round, "advance": (*performer).advance, "answer": (*performer).answer,
		"status": (*performer).status, "logs": (*performer).logs, "certified": (*performer).certified, "census": (*performer).census,
	}
}

// play runs a script and gives it back with what was said in place of what was
// expected.
func play(t *testing.T, path, text string, rewrite bool) string {
	p := &performer{t: t, labels: make(map[string]replica.RequestID), modules: make(map[string][]byte)}
	var out strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		head, want, expects := strings.Cut(block+"\n", "----\n")
		out.WriteString(head)
		for _, line := range lines(head) {
			if err := p.perform(line); err != nil {
				t.Fatalf("%s, block %d: %v", path, i+1, err)
			}
		}
		if got := p.said.String(); expects || rewrite && got != "" {
			out.WriteString("----\n" + got)
			if got != want && !rewrite {
				t.Errorf("%s, block %d:\n%sgot:\n%swant:\n%s", path, i+1, head, got, want)
			}
		}
		out.WriteString("\n")
		p.said.Reset()
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// lines are the commands of a block, each with the lines that continue it.
func lines(head string) (all []string) {
	for line := range strings.Lines(head) {
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "  ") && len(all) > 0:
			all[len(all)-1] += line
		default:
			all = append(all, line)
		}
	}
	return all
}

func (p *performer) perform(line string) error {
	word, rest := cut(line)
	if word == "silently" && p.Stage != nil {
		p.Listen(nil)
		defer p.Listen(p)
		word, rest = cut(rest)
	}
	p.label = ""
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
	do(p, rest)
	return nil
}

// cut is the first word of a text and the rest.
func cut(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, " \n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
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
