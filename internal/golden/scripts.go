package golden

import (
	"strings"
	"testing"
)

// Performer performs the commands of one script.
type Performer interface {
	// Perform executes a command. The error is a fault of the script.
	Perform(command string) error
	// Said returns the output of commands since the last call, in whole lines.
	Said() string
}

// Scripts runs every script of a folder (*.txt), each with its own performer. They run in parallel.
//
// A script consists of blocks, separated by empty lines: commands, one a line, the line "----", and the expected
// output. Lines that begin with # are comments, lines that begin with two spaces continue the previous one. A block
// without ---- expects nothing, and -rewrite adds its output.
func Scripts(t *testing.T, folder string, begin func(t testing.TB) Performer) {
	t.Helper()
	Transcripts(t, folder, func(t *testing.T, text string) string {
		t.Parallel()
		return play(t, text, begin(t))
	})
}

// SameScripts runs every script of a folder with performers that must have the same output as those of Scripts, in
// parallel. It never writes the files. Scripts whose names are excluded do not run.
func SameScripts(t *testing.T, folder string, begin func(t testing.TB) Performer, excluded ...string) {
	t.Helper()
	each(t, folder, func(t *testing.T, path string) {
		t.Parallel()
		SameScript(t, path, begin)
	}, excluded...)
}

// SameScript is SameScripts for one script.
func SameScript(t *testing.T, path string, begin func(t testing.TB) Performer) {
	t.Helper()
	want := Read(t, path)
	if difference := FirstDifference(want, play(t, want, begin(t))); difference != "" {
		t.Errorf("%s: %s", path, difference)
	}
}

// play runs a script and returns it with the present output in place of the expected one.
func play(t *testing.T, text string, p Performer) string {
	t.Helper()
	var out strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		head, _, expects := strings.Cut(block+"\n", "----\n")
		out.WriteString(head)
		for _, command := range commands(head) {
			if err := p.Perform(command); err != nil {
				t.Fatalf("block %d: %v", i+1, err)
			}
		}
		if said := p.Said(); expects || Rewriting() && said != "" {
			out.WriteString("----\n" + said)
		}
		out.WriteString("\n")
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// commands returns the commands of a block, each with the lines that continue it.
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
