package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon/project"
)

// TestPagesShowWhatCommandsPrint runs the commands in the pages of docs, those behind "$ canisterd " in blocks of the
// kind console, in a folder with the canisters of examples/motoko. What a page says that they print is what they print.
func TestPagesShowWhatCommandsPrint(t *testing.T) {
	pages, err := filepath.Glob(mustAbs(t, "../../docs/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, path := range pages {
		text := mustRead(t, path)
		if !strings.Contains(text, consoleBlock) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) {
			got := shownBy(t, text)
			if *rewrite {
				writeFile(t, path, got)
			} else if got != text {
				t.Errorf("%s differs (-rewrite, then review the diff); it is now\n%s", path, got)
			}
		})
	}
}

// consoleBlock begins a block of commands with what they print.
const consoleBlock = "```console\n"

// shownBy is a page with what its commands print now.
func shownBy(t *testing.T, page string) string {
	prepare(t)
	examples := os.Getenv("EXAMPLES")
	for _, name := range []string{"greeter.wasm", "relay.wasm", project.File} {
		writeFile(t, name, mustRead(t, filepath.Join(examples, "motoko", name)))
	}
	var text strings.Builder
	for {
		before, block, found := strings.Cut(page, consoleBlock)
		text.WriteString(before)
		if !found {
			return text.String()
		}
		block, page, found = strings.Cut(block, "```\n")
		if !found {
			t.Fatal("a block of commands is open")
		}
		text.WriteString(consoleBlock)
		for line := range strings.Lines(block) {
			if command, is := strings.CutPrefix(line, "$ canisterd "); is {
				text.WriteString(line + strings.TrimSuffix(perform(t, strings.TrimSpace(command)), "\n"))
			}
		}
		text.WriteString("```\n")
	}
}
