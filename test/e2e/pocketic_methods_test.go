//go:build clients

package e2e

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/canisterd/canisterd/internal/golden"
)

// methodsTable is the table of the methods of PocketIC's clients that the programs below pocketic call.
const methodsTable = "pocketic/methods.md"

const tableHead = "# Methods of PocketIC's clients\n\nPrograms in this folder call each of them with canisterd as the server, or the table has the reason why they do not.\n" +
	"`make test-clients`, `make test-clients-rust` and `make test-clients-python` make it: `-rewrite` writes it.\n\n"

// calledMethods are the columns of the table, from left to right.
var calledMethods = []string{"@dfinity/pic 0.23.0", "@dfinity/pic 0.17.2", "Rust 16.1.0", "Rust 13.0.0", "Python 3.1.2", "Python 3.1.1"}

// reported is a line in which a program says that it has called a method, or why not.
var reported = regexp.MustCompile(`(?m)^method: (\w+)(?: \((.+)\))?$`)

// methodsIn reads what a program says of the methods of its client: "called", or the reason why it is not.
func methodsIn(output []byte) map[string]string {
	methods := make(map[string]string)
	for _, found := range reported.FindAllSubmatch(output, -1) {
		methods[string(found[1])] = "called"
		if reason := string(found[2]); reason != "" {
			methods[string(found[1])] = reason
		}
	}
	return methods
}

// checkMethods compares the methods of a client with its column of the table; -rewrite writes the column.
func checkMethods(t *testing.T, client string, methods map[string]string) {
	t.Helper()
	text, err := os.ReadFile(methodsTable)
	if err != nil && !golden.Rewriting() {
		t.Fatal(err)
	}
	rows := tableRows(string(text))
	column := slices.Index(calledMethods, client)
	if column < 0 {
		t.Fatalf("the table has no column for %s: add it to calledMethods", client)
	}
	for _, cells := range rows {
		cells[column] = ""
	}
	for name, what := range methods {
		row := snakeCase(name)
		if rows[row] == nil {
			rows[row] = make([]string, len(calledMethods))
		}
		rows[row][column] = what
	}
	golden.Compare(t, methodsTable, tableText(rows))
}

// tableRows are the cells of the table by method.
func tableRows(text string) map[string][]string {
	rows := make(map[string][]string)
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == len(calledMethods)+1 && cells[0] != "method" && cells[0] != "---" {
			rows[cells[0]] = cells[1:]
		}
	}
	return rows
}

// tableText is the table of rows; those without a client are left out.
func tableText(rows map[string][]string) string {
	var out strings.Builder
	out.WriteString(tableHead + "| method | " + strings.Join(calledMethods, " | ") + " |\n|" + strings.Repeat("---|", len(calledMethods)+1) + "\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if strings.Join(rows[name], "") != "" {
			out.WriteString("| " + name + " | " + strings.Join(rows[name], " | ") + " |\n")
		}
	}
	return out.String()
}

// snakeCase is a name as Rust and Python write it.
func snakeCase(name string) string {
	var out strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
