package docs

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// files are the pages without those that the program prints itself (commands.md) or that are only for clients of the
// control API (grpc*.md).
//
//go:embed assistants.md callers.md clone.md coming-from.md cost.md coverage.md dev.md durable.md errors.md explore.md gateway.md go.md icp-cli.md
//go:embed inspect.md install.md invariants.md javascript.md json.md limits.md modules.md networks.md observability.md outcalls.md output.md pocketic.md
//go:embed production.md profile.md project.md python.md rehearse.md start.md testing.md time.md wasi.md
var files embed.FS

// Topics returns the names of the pages.
func Topics() (names []string) {
	entries, _ := files.ReadDir(".") // it is there
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	return names
}

// Title returns the title of a page; "" for one that does not exist.
func Title(topic string) string {
	text, err := Page(topic)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(line, "# ")
}

// Page returns a page in Markdown.
func Page(topic string) (string, error) {
	text, err := files.ReadFile(topic + ".md")
	if err != nil {
		return "", fmt.Errorf("no topic %q (topics: %s)", topic, strings.Join(Topics(), ", "))
	}
	return string(text), nil
}

// Section is a part of a page from one heading to the next.
type Section struct {
	Heading string
	Text    string // with the heading
}

// heading is a line that begins a section.
var heading = regexp.MustCompile(`(?m)^#{1,3} (.*)$`)

// Sections returns the sections of a page, in order. A line in a block of code is no heading.
func Sections(page string) (all []Section) {
	begins := slices.DeleteFunc(heading.FindAllStringSubmatchIndex(page, -1), func(at []int) bool {
		return strings.Count(page[:at[0]], "```")%2 == 1
	})
	for i, at := range begins {
		end := len(page)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		all = append(all, Section{Heading: page[at[2]:at[3]], Text: strings.TrimSpace(page[at[0]:end])})
	}
	return all
}
