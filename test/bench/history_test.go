package main

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

const historyPage = "../../docs/internals/speed.md"

// aboveTable ends what people write on the page.
const aboveTable = "<!-- generated: go test ./test/bench -run History -rewrite -->\n"

func TestThePageOfTheHistoryShowsTheKeptTables(t *testing.T) {
	tables, err := history("history")
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) == 0 {
		t.Fatal("no table is kept")
	}
	before, _, found := strings.Cut(golden.Read(t, historyPage), aboveTable)
	if !found {
		t.Fatalf("%s has no line %s", historyPage, aboveTable)
	}
	golden.Compare(t, historyPage, before+aboveTable+"\n"+historyTable(tables))
}

func TestTheHistoryShowsTheNewestTablesWithTheNewestLimit(t *testing.T) {
	var tables []kept
	for _, name := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		tables = append(tables, kept{name, []Row{{Name: "Update", Ratio: 2.5, Limit: 3}}})
	}
	tables[6].rows = []Row{{Name: "Fork", Ratio: 1.25}, {Name: "Update", Ratio: 2, Limit: 2.5}}
	const want = `| row | 2 | 3 | 4 | 5 | 6 | 7 | limit |
|---|---|---|---|---|---|---|---|
| Fork | | | | | | 1.25 | |
| Update | 2.5 | 2.5 | 2.5 | 2.5 | 2.5 | 2 | 2.5 |
`
	if got := historyTable(tables); got != want {
		t.Errorf("got\n%s", golden.FirstDifference(want, got))
	}
}
