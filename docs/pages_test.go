package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// elsewhere are the pages that are no topics: the list of pages, those for clients of the control API, and what other
// commands print, and the one about a package that no command uses.
var elsewhere = []string{"README", "commands", "how-it-works", "explorer-corpus", "components"}

func TestEveryPageIsATopicOrElsewhere(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 20 {
		t.Fatalf("the pages are %v, %v", pages, err)
	}
	for _, page := range pages {
		name := strings.TrimSuffix(page, ".md")
		topic := slices.Contains(Topics(), name)
		if out := slices.Contains(elsewhere, name) || strings.HasPrefix(name, "grpc"); topic == out {
			t.Errorf("%s is a topic: %t; list it in pages.go or here", page, topic)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if topic && !strings.HasPrefix(string(text), "# "+Title(name)+"\n") {
			t.Errorf("the title of %s is %q", name, Title(name))
		}
	}
}

func TestTheBookListsEachPageOnceInOrder(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for i, item := range regexp.MustCompile(`(?m)^(\d+)\. \[[^]]+\]\(([^)]+)\)`).FindAllStringSubmatch(string(text), -1) {
		if item[1] != strconv.Itoa(i+1) {
			t.Errorf("the number of %s is %s, want %d", item[2], item[1], i+1)
		}
		if listed[item[2]] {
			t.Errorf("%s is listed twice", item[2])
		}
		listed[item[2]] = true
	}
	if len(listed) < 30 {
		t.Errorf("only %d pages are listed", len(listed))
	}
}

func TestAPageIsDividedAtItsHeadings(t *testing.T) {
	sections := Sections("# A\n\none\n\n```sh\n# no heading\n```\n\n## B `b`\ntwo\n#### no section\n")
	want := []Section{{"A", "# A\n\none\n\n```sh\n# no heading\n```"}, {"B `b`", "## B `b`\ntwo\n#### no section"}}
	if !slices.Equal(sections, want) {
		t.Errorf("the sections are %q, want %q", sections, want)
	}
}

func TestAnUnknownTopicIsAnErrorWithTheTopics(t *testing.T) {
	if _, err := Page("explor"); err == nil || !strings.Contains(err.Error(), "explore, gateway") {
		t.Errorf("the error is %v", err)
	}
	if title := Title("explor"); title != "" {
		t.Errorf("the title is %q", title)
	}
}
