package architecture

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const rationaleIndex = "RATIONALE.md"

var (
	// pageHeading is a heading of a page, without its marks.
	pageHeading = regexp.MustCompile(`(?m)^#{2,3} (.*)$`)

	// indexEntry is a line of the index of questions: a question, and where its answer is.
	indexEntry = regexp.MustCompile(`(?m)^\* \[(.*)\]\(([^)]*)\)$`)

	// fencedBlock is a block of a page that is no text.
	fencedBlock = regexp.MustCompile("(?ms)^```.*?^```$")

	// fileLink is a link to a file of the repository.
	fileLink = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)\s]*)?\)`)
)

// anchor is the name of a heading in a link, as GitHub makes it.
func anchor(heading string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// pagesOfContributors are the pages that the tests of cmd/canisterd do not read, by path.
func pagesOfContributors(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for file, text := range prose(t) {
		if path.Ext(file) == ".md" && path.Dir(file) != "docs" {
			pages[file] = fencedBlock.ReplaceAllString(string(text), "")
		}
	}
	return pages
}

// TestEachQuestionOfTheRationaleIsInTheIndex compares the index with the answers beside the packages, in both directions.
func TestEachQuestionOfTheRationaleIsInTheIndex(t *testing.T) {
	pages := pagesOfContributors(t)
	listed := map[string]string{}
	for _, entry := range indexEntry.FindAllStringSubmatch(pages[rationaleIndex], -1) {
		listed[entry[2]] = entry[1]
	}
	if len(listed) < 100 {
		t.Errorf("%s lists only %d questions", rationaleIndex, len(listed))
	}
	for file, text := range pages {
		if path.Base(file) != rationaleIndex || file == rationaleIndex {
			continue
		}
		for _, heading := range pageHeading.FindAllStringSubmatch(text, -1) {
			question := heading[1]
			if strings.Contains(question, "? ") {
				t.Errorf("%s: the heading %q goes on after its question: begin a new line", file, question)
			}
			if !strings.HasSuffix(question, "?") {
				continue
			}
			target := file + "#" + anchor(question)
			if listed[target] != question {
				t.Errorf("%s does not list [%s](%s)", rationaleIndex, question, target)
			}
			delete(listed, target)
		}
	}
	for target, question := range listed {
		t.Errorf("%s lists %q, but %s is not there", rationaleIndex, question, target)
	}
}

func TestLinksOfPagesForContributorsLeadToFiles(t *testing.T) {
	looked := 0
	for file, text := range pagesOfContributors(t) {
		for _, found := range fileLink.FindAllStringSubmatch(text, -1) {
			looked++
			if _, err := os.Stat(filepath.Join(root(t), filepath.Dir(file), found[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", file, found[1])
			}
		}
	}
	if looked < 100 {
		t.Errorf("only %d links were found", looked)
	}
}
