package control_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/api/control"
)

// unheard are the reasons that no client can be made to hear, each with why. Unit tests
// of the server hold them.
var unheard = map[string]string{
	"ANSWER_FORGOTTEN": "a subnet forgets answers where the newer ones have 1 GiB",
	"OVERLOADED":       "the API waits for room among the node's requests before it hands in a message",
	"MEMORY_SPENT":     "clients have to fill the memory of the daemon first",
	"BUG":              "a handler panics: one that can be triggered is a bug to fix",
	"UNEXPECTED":       "an error without a reason: an error that can be triggered gets a reason",
	"DEADLINE_PASSED":  "the client has given up by its own clock before the daemon says so",
	"GIVEN_UP":         "the client has gone away and hears nothing",
}

// answeredWith is the reason in a line of a script that says why an RPC was refused, or
// one call of many.
var answeredWith = regexp.MustCompile(`(?m)^(?:! [A-Za-z]+ | *"code": [0-9]+,\n *"reason": ")([A-Z_]+)`)

// inScripts is what a pattern finds in the scripts: its first group.
func inScripts(t *testing.T, pattern *regexp.Regexp) map[string]bool {
	t.Helper()
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	all := make(map[string]bool)
	for _, path := range scripts {
		script, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range pattern.FindAllSubmatch(script, -1) {
			all[string(found[1])] = true
		}
	}
	return all
}

// asked is the line of a script with a request.
var asked = regexp.MustCompile(`(?m)^> ([A-Za-z]+)`)

// uploads are the RPCs whose requests are streams of bytes: scripts have their first message.
var uploads = map[string]string{"InstallCode": "InstallHead", "ImportInstance": "ImportOptions"}

func TestEveryRPCHasAScript(t *testing.T) {
	scripted := inScripts(t, asked)
	for m := range rpcs(t) {
		name := string(m.Name())
		if !scripted[cmp.Or(uploads[name], name)] {
			t.Errorf("no script in testdata asks for %s: add it to one of its service, and write that with -rewrite", m.FullName())
		}
	}
}

// A script is compared with what a daemon answers: a reason in one was heard.
func TestEveryReasonIsHeardInAScript(t *testing.T) {
	heard := inScripts(t, answeredWith)
	for _, r := range control.Reasons() {
		if _, silent := unheard[r.Name]; heard[r.Name] == silent {
			t.Errorf("%s: in a script %v, in the list of those that cannot be heard %v: it must be in one of them", r.Name, heard[r.Name], silent)
		}
		delete(heard, r.Name)
	}
	if len(heard) > 0 {
		t.Errorf("these are no reasons: %v", slices.Collect(maps.Keys(heard)))
	}
}

// refusedWith is the line of a script with a reason and its metadata.
var refusedWith = regexp.MustCompile(`(?m)^! [A-Za-z]+ ([A-Z_]+) (\{.*?\}): `)

// docs/errors.md lists the declared keys.
func TestEveryKeyOfMetadataIsDeclared(t *testing.T) {
	declared := map[string][]string{}
	for _, r := range control.Reasons() {
		declared[r.Name] = slices.Concat(r.Keys, r.Optional, []string{"advice"})
	}
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	for _, path := range scripts {
		script, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range refusedWith.FindAllSubmatch(script, -1) {
			var metadata map[string]string
			if err := json.Unmarshal(line[2], &metadata); err != nil {
				t.Fatalf("%s: %s: %v", path, line[0], err)
			}
			for _, key := range slices.Sorted(maps.Keys(metadata)) {
				heard++
				if !slices.Contains(declared[string(line[1])], key) {
					t.Errorf("%s: the metadata of %s has %s, which its declaration does not name", path, line[1], key)
				}
			}
		}
	}
	if heard < 100 {
		t.Errorf("%d keys are heard", heard)
	}
}
