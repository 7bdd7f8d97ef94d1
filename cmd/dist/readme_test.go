package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheReadmeHasTheLinesOfThePageAboutInstallations compares both, except for archives, which no line installs.
func TestTheReadmeHasTheLinesOfThePageAboutInstallations(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	readme, page := read("README.md"), read("docs/install.md")
	_, block, found := strings.Cut(readme, "not-run=\"make test-dist installs the packages\"\n")
	block, _, ended := strings.Cut(block, "```\n")
	if !found || !ended {
		t.Fatal("README.md has no block with the lines")
	}
	var lines, rows []string
	for line := range strings.Lines(block) {
		command, _, _ := strings.Cut(line, " #")
		lines = append(lines, strings.TrimSpace(command))
	}
	for _, row := range regexp.MustCompile("(?m)^\\| .* \\| .* \\| `(.*)` \\|$").FindAllStringSubmatch(page, -1) {
		rows = append(rows, row[1])
	}
	if got, want := strings.Join(lines, "\n"), strings.Join(rows, "\n"); got != want {
		t.Errorf("README.md says\n%s\ndocs/install.md says\n%s", got, want)
	}
	if step := "uses: canisterd/canisterd@v1"; !strings.Contains(readme, step) || !strings.Contains(page, "- "+step+"\n") {
		t.Errorf("README.md or docs/install.md has no %s", step)
	}
}
