package control_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/internal/golden"
)

// argument is what stands for something in the text of a reason.
var argument = regexp.MustCompile(`%[a-z]`)

// errorsBegin is the head of the table of docs/errors.md.
const errorsBegin = "| reason | code | metadata | text | what it means and what to do |\n|---|---|---|---|---|\n"

// TestThePageOfErrorsHasEveryReason compares docs/errors.md with the reasons: go test ./api/control -rewrite. People
// write the last column, which says what a reason means and what to do.
func TestThePageOfErrorsHasEveryReason(t *testing.T) {
	const file = "../../docs/errors.md"
	introduction, table, found := strings.Cut(golden.Read(t, file), errorsBegin)
	if !found {
		t.Fatalf("%s has no table that begins with %q", file, errorsBegin)
	}
	var page strings.Builder
	page.WriteString(introduction + errorsBegin)
	advice := adviceIn(table)
	for _, r := range control.Reasons() {
		if advice[r.Name] == "" {
			t.Errorf("reason %s has no advice: write what it means and what to do into the last column of %s", r.Name, file)
		}
		if strings.Contains(strings.ReplaceAll(advice[r.Name], `\|`, ""), "|") {
			t.Errorf("the advice for %s has a | that ends its cell in %s: write \\|", r.Name, file)
		}
		fmt.Fprintf(&page, "| `%s` | `%s` | %s | %s | %s |\n", r.Name, protocolName(r.Code), keysOf(r), textIn(r), advice[r.Name])
	}
	golden.Compare(t, file, page.String())
}

// protocolName spells a code as the protocol does, and not as gRPC's Go package.
func protocolName(c codes.Code) string { return code.Code(c).String() }

// adviceIn is the last column of the table of reasons, by their names.
func adviceIn(table string) map[string]string {
	advice := map[string]string{}
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(row), " | ")
		if name := strings.Trim(cells[0], "|` "); len(cells) > 1 {
			advice[name] = strings.TrimSpace(strings.TrimSuffix(cells[len(cells)-1], "|"))
		}
	}
	return advice
}

// keysOf are the keys of the metadata of a reason.
func keysOf(r *control.Reason) string {
	var keys []string
	for _, key := range slices.Concat(r.Keys, r.Optional) {
		if key != "" {
			keys = append(keys, "`"+key+"`")
		}
	}
	return strings.Join(keys, ", ")
}

// textIn is the text of a reason with … for its arguments.
func textIn(r *control.Reason) string {
	text := strings.ReplaceAll(argument.ReplaceAllString(r.Text+advised(r), "…"), "|", `\|`)
	if text == "…" {
		return "*differs*"
	}
	return text
}

// advised returns the advice behind the text of a reason.
func advised(r *control.Reason) string {
	if r.Advice == "" {
		return ""
	}
	return ": " + r.Advice
}
