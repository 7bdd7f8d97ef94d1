// Package golden runs text scripts that expect a trace: what a script says must
// be what stands in its file.
//
// A script is blocks, separated by empty lines: commands, one a line, the line
// "----", and what the commands are expected to say. Lines that begin with # are
// comments, lines that begin with two spaces continue the one before. With
// rewrite set, what was said takes the place of what was expected, and the
// difference is there to be reviewed.
//
// It owns the form of scripts and knows no command. Support for tests;
// replicatest and its neighbours import it.
package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Performer performs the commands of one script.
type Performer interface {
	// Perform does what a command says. The error is one of the script.
	Perform(command string) error
	// Said is what the commands said since it was last asked, in whole lines.
	Said() string
}

// Scripts runs every script of a folder, each with a performer of its own.
func Scripts(t *testing.T, folder string, rewrite bool, begin func(t testing.TB) Performer) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts in %s: %v", folder, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, path, strings.ReplaceAll(string(raw), "\r\n", "\n"), begin(t), rewrite)
			if rewrite {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// play runs a script and gives it back with what was said in place of what was
// expected.
func play(t *testing.T, path, text string, p Performer, rewrite bool) string {
	var out strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		head, want, expects := strings.Cut(block+"\n", "----\n")
		out.WriteString(head)
		for _, command := range commands(head) {
			if err := p.Perform(command); err != nil {
				t.Fatalf("%s, block %d: %v", path, i+1, err)
			}
		}
		if got := p.Said(); expects || rewrite && got != "" {
			out.WriteString("----\n" + got)
			if got != want && !rewrite {
				t.Errorf("%s, block %d:\n%sgot:\n%swant:\n%s", path, i+1, head, got, want)
			}
		}
		out.WriteString("\n")
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// commands are the commands of a block, each with the lines that continue it.
func commands(head string) (all []string) {
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
