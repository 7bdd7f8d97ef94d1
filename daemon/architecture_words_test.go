package daemon_test

import (
	"bytes"
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
	"wreck":       "damaged network",
}

// word is a word of a text, or of an identifier in camel case.
var word = regexp.MustCompile(`[A-Z]?[a-z]+`)

func TestThingsHaveTheirStandardNames(t *testing.T) {
	looked := 0
	for path, text := range prose(t) {
		if path == "daemon/architecture_words_test.go" {
			continue
		}
		looked++
		for number, line := range bytes.Split(text, []byte("\n")) {
			for _, found := range word.FindAll(line, -1) {
				if better, banned := dictionary[strings.ToLower(string(found))]; banned {
					t.Errorf("%s:%d says %s: say %s (ARCHITECTURE.md, Glossary)", path, number+1, found, better)
				}
			}
		}
	}
	if looked < 500 {
		t.Errorf("only %d files were read", looked)
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
