package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/golden"
)

// notRun are the commands that the table of docs/internals/assistants.md does not run, with the reason.
var notRun = map[string]string{
	"canisterd start":            "it runs until it is stopped",
	"canisterd dev":              "it runs until it is stopped",
	"canisterd stop":             "it stops the daemon of the test",
	"canisterd exec":             "its output is that of its command",
	"canisterd mcp":              "it serves an assistant on standard input",
	"canisterd inspect":          "it opens a browser",
	"canisterd pocket-ic":        "it serves until it is stopped",
	"canisterd network-launcher": "it serves until it is stopped",
	"canisterd explore worker":   "it waits for jobs",
	"canisterd events":           "it prints events until it is interrupted",
	"canisterd link":             "it links the test binary",
	"canisterd replay":           "it needs the journal of a daemon that has stopped",
	"canisterd schema":           "it prints a file for editors",
	"canisterd completion bash":  "it prints a script", "canisterd completion fish": "it prints a script",
	"canisterd completion powershell": "it prints a script", "canisterd completion zsh": "it prints a script",
}

// once are commands that cannot be repeated as they are, with what the second time says.
var once = map[string]string{
	"canisterd instance create": "the name exists", "canisterd instance delete": "the instance is gone", "canisterd instance forget": "the snapshot is gone",
	"canisterd identity new": "the name exists", "canisterd identity rename": "the name is gone", "canisterd profile start": "a profile runs already", "canisterd cover start": "coverage is recorded already",
	"canisterd init": "the project exists",
}

// mostOutput is the most bytes that a command prints for a project of two canisters without a flag for more.
const mostOutput = 16 << 10

// outcome is what a command did.
type outcome struct {
	code        int
	out, errOut string
}

// TestEveryCommandSuitsAnAssistant runs the first example of every command without a terminal: as it is, again, and with
// --json. It writes the table of docs/internals/assistants.md.
func TestEveryCommandSuitsAnAssistant(t *testing.T) {
	page := mustAbs(t, "../../docs/internals/assistants.md")
	prepare(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // tests beside this one compile into the cache of the process
	for _, file := range []string{"bank.wasm", "vault.wasm"} {
		writeFile(t, file, mustRead(t, filepath.Join(os.Getenv("EXAMPLES"), "doublewithdraw", file)))
	}
	for _, command := range []string{
		"cache prewarm bank.wasm vault.wasm",
		"deploy", "canister call bank open '(\"${vault}\")'", "canister call bank deposit 100",
		"explore --op 'bank withdraw 100' --op 'bank withdraw 100' --invariant 'vault paidOut <= 100'",
	} {
		perform(t, command)
	}
	root := (&cli{}).root()
	root.InitDefaultHelpCmd()
	var table strings.Builder
	used := map[string]bool{} // reasons that the table has
	for number, cmd := range leaves(root) {
		path := cmd.CommandPath()
		if why := notRun[path]; why != "" {
			used[path+": "+why] = true
			fmt.Fprintf(&table, "| `%s` | not run: %s |  |  |  |  |\n", path, why)
			continue
		}
		t.Setenv("CANISTERD_INSTANCE", "")
		of := fmt.Sprintf("of-%d", number) // what one command changes, the next does not see
		perform(t, "instance fork "+of)
		t.Setenv("CANISTERD_INSTANCE", of)
		perform(t, "instance snapshot before")
		fmt.Fprintf(&table, "| `%s` | %s |\n", path, strings.Join(suits(t, cmd, used), " | "))
	}
	for _, reasons := range []map[string]string{notRun, once} {
		for path, why := range reasons {
			if !used[path+": "+why] {
				t.Errorf("%s does not need the reason %q: take it out", path, why)
			}
		}
	}
	before, rest, found := strings.Cut(golden.Read(t, page), "|---|---|---|---|---|---|\n")
	_, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no table", page)
	}
	golden.Compare(t, page, before+"|---|---|---|---|---|---|\n"+table.String()+"\n"+after)
}

// suits runs the first example of a command, and returns the cells of its row: no color, exit code, again, JSON, bounded.
func suits(t *testing.T, cmd *cobra.Command, used map[string]bool) []string {
	t.Helper()
	path := cmd.CommandPath()
	example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	example, _, _ = strings.Cut(example, " > ")
	example, _, _ = strings.Cut(example, "  #")
	words := fields(t, strings.TrimPrefix(strings.TrimSpace(example), "canisterd "))
	if !strings.HasPrefix(strings.TrimSpace(example), "canisterd ") {
		words = strings.Fields(strings.TrimPrefix(path, "canisterd "))
	}
	if path != "canisterd canister logs" {
		words = slices.DeleteFunc(words, func(word string) bool { return word == "--follow" })
	}
	use := func(words ...string) outcome {
		var out, errOut bytes.Buffer
		code := run(eventually.Context(t), words, &out, &errOut)
		return outcome{code, out.String(), errOut.String()}
	}
	first, again, inJSON := use(words...), use(words...), use(append(slices.Clip(words), "--json")...)
	var cells []string
	cell := func(passes bool, reasons map[string]string, fault string) {
		switch why := reasons[path]; {
		case passes:
			cells = append(cells, "pass")
		case why != "":
			used[path+": "+why] = true
			cells = append(cells, why)
		default:
			t.Errorf("%s: %s", strings.Join(words, " "), fault)
			cells = append(cells, "fails")
		}
	}
	all := first.out + first.errOut + inJSON.out + inJSON.errOut
	cell(!strings.Contains(all, "\x1b"), nil, "prints color into a pipe")
	if !known(first.code) || !known(inJSON.code) {
		t.Errorf("%s: exit codes %d and %d are not in the table", strings.Join(words, " "), first.code, inJSON.code)
	}
	cells = append(cells, fmt.Sprint(first.code))
	cell(again.code == first.code, once, fmt.Sprintf("the first time the exit code is %d, the second time %d: %s", first.code, again.code, again.errOut))
	cell(inLines(inJSON.out) && inLines(inJSON.errOut), nil, "prints no JSON with --json: "+inJSON.out+inJSON.errOut)
	cell(len(first.out) <= mostOutput, nil, fmt.Sprintf("prints %d bytes", len(first.out)))
	return cells
}

// known reports whether an exit code is in the table.
func known(code int) bool {
	return slices.ContainsFunc(exitMeanings, func(m exitMeaning) bool {
		return slices.Contains(strings.Split(m.Codes, ", "), strconv.Itoa(code))
	})
}

// inLines reports whether a text is values in JSON, or empty.
func inLines(text string) bool {
	decoder := json.NewDecoder(strings.NewReader(text))
	for decoder.More() {
		var value any
		if decoder.Decode(&value) != nil {
			return false
		}
	}
	return true
}
