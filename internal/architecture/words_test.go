package architecture

import (
	"bytes"
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dictionary has words that this project once used for something that has a standard name.
var dictionary = map[string]string{
	"anew":        "again",
	"asleep":      "evicted",
	"beating":     "has a heartbeat",
	"bell":        "broadcast",
	"bury":        "close",
	"coded":       "code changed",
	"drama":       "scenario",
	"dramas":      "scenarios",
	"dramatis":    "canister names",
	"era":         "generation",
	"eras":        "generations",
	"facts":       "properties, or read index",
	"founding":    "start",
	"knot":        "deadlock cycle",
	"knots":       "deadlock cycles",
	"nudge":       "wake",
	"outlay":      "cost plan",
	"parcel":      "stream message",
	"parcels":     "stream messages",
	"passage":     "time advance",
	"plant":       "build the static tree",
	"playbill":    "transcript",
	"poet":        "generator",
	"recoded":     "code changed",
	"scene":       "action",
	"scenery":     "setup",
	"scenes":      "actions",
	"seat":        "slot",
	"seats":       "slots",
	"stirred":     "active",
	"strand":      "coroutine",
	"strands":     "coroutines",
	"switchboard": "protocol multiplexer",
	"theatre":     "harness",
	"treasury":    "cycles audit",
	"unproved":    "unstaged",
	"wave":        "batch",
	"waves":       "batches",
	"whereabouts": "call locations",
	"workshop":    "compiler under the control of a test",
	"whoever":     "the noun: caller, client, owner",
	"wreck":       "damaged network",
}

// word is a word of a text, or of an identifier in camel case.
var word = regexp.MustCompile(`[A-Z]?[a-z]+`)

func TestThingsHaveTheirStandardNames(t *testing.T) {
	looked := 0
	for path, text := range prose(t) {
		if path == "internal/architecture/words_test.go" {
			continue
		}
		looked++
		for number, line := range bytes.Split(text, []byte("\n")) {
			for _, found := range word.FindAll(line, -1) {
				if better, banned := dictionary[strings.ToLower(string(found))]; banned {
					t.Errorf("%s:%d says %s: say %s (docs/internals/glossary.md)", path, number+1, found, better)
				}
			}
		}
	}
	if looked < 500 {
		t.Errorf("only %d files were read", looked)
	}
}

// oldNames are parts of names of tests that say something less plainly than the standard phrase does.
var oldNames = map[string]string{
	"ButFor":    "ExceptFor",
	"HasNot":    "DoesNot, or Without",
	"IsNo[A-Z]": "IsNotA, or Invalid",
	"IsSaid":    "IsReported",
	"IsTold":    "Learns, or IsReported",
	"Nobody":    "NoOther, or NoCaller",
	"OfNow":     "Current",
	"Whatever":  "Any",
	"WhoGets":   "the noun of the receiver",
}

func TestNamesOfTestsArePlain(t *testing.T) {
	looked := 0
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !s.test() || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			looked++
			for old, better := range oldNames {
				if found := regexp.MustCompile(old).FindString(f.Name.Name); found != "" {
					t.Errorf("%s: %s says %s: say %s", s.path, f.Name.Name, found, better)
				}
			}
		}
	}
	if looked < 1000 {
		t.Errorf("only %d tests were found", looked)
	}
}

// prose are the files of this project that people read, by path. Generated files are not.
func prose(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, s := range sources(t) {
		if !s.generated() {
			files[s.path] = s.text
		}
	}
	err := filepath.WalkDir(root(t), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "node_modules", "testdata"}, entry.Name()):
			return filepath.SkipDir
		case !slices.Contains([]string{".md", ".proto"}, filepath.Ext(path)):
			return nil
		}
		name, err := filepath.Rel(root(t), path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
