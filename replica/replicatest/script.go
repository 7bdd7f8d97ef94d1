package replicatest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

// Scripts runs every script of a folder as a test of its own. A script is a text
// of blocks: a command with its words, the line "----", and what the command is
// expected to say; blocks are separated by empty lines, lines that begin with #
// are comments. With rewrite set, the expectations become what was said.
//
// The commands, one file each (command_*.go):
//
//	network [slice=N] [messages=N] [subnets=KIND,KIND]   makes the network; first
//	create COUNT                                         canisters with code and many cycles
//	submit LABEL N METHOD ARG                            hands in a message
//	run N PROGRAM                                        submits, runs rounds until answered
//	round [COUNT]                                        runs rounds
//	step [COUNT]                                         makes single moves, first in first out
//	moves                                                lists the legal moves
//	advance SECONDS                                      moves time
//	answer LABEL                                         where a message stands
//	canister N                                           what there is to say of a canister
//	census                                               what is open
//
// What happens is told as it happens, one event a line; canisters are called by
// their numbers.
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
	t      testing.TB
	stage  *Stage
	said   strings.Builder
	labels map[string]replica.RequestID
}

// command is what a word at the beginning of a block does.
type command func(p *performer, words []string)

func commands() map[string]command {
	return map[string]command{
		"network": (*performer).network, "create": (*performer).create, "submit": (*performer).submit, "run": (*performer).run,
		"round": (*performer).round, "step": (*performer).step, "moves": (*performer).moves, "advance": (*performer).advance,
		"answer": (*performer).answer, "canister": (*performer).canister, "census": (*performer).census,
	}
}

// play runs a script and gives it back with what was said in place of what was
// expected.
func play(t *testing.T, path, text string, rewrite bool) string {
	p := &performer{t: t, labels: make(map[string]replica.RequestID)}
	known := commands()
	var out strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		head, want, _ := strings.Cut(block+"\n", "----\n")
		out.WriteString(head)
		for line := range strings.Lines(head) {
			words := strings.Fields(line)
			if len(words) == 0 || strings.HasPrefix(line, "#") {
				continue
			}
			do := known[words[0]]
			if do == nil {
				t.Fatalf("%s, block %d: there is no command %q", path, i+1, words[0])
			}
			if p.stage == nil && words[0] != "network" {
				p.network(nil)
			}
			do(p, words[1:])
		}
		if got := p.said.String(); strings.Contains(block, "----") || rewrite {
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

func (p *performer) say(format string, args ...any) { fmt.Fprintf(&p.said, format+"\n", args...) }

// number reads a word that must be a number.
func (p *performer) number(word string) (n int) {
	p.t.Helper()
	if _, err := fmt.Sscan(word, &n); err != nil {
		p.t.Fatalf("%q is not a number", word)
	}
	return n
}
