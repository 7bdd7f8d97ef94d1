package sourcelines_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/sourcelines"
)

// The map is made by hand as moc --map makes them (its package for npm drops the map): columns are offsets in the file,
// code of several files is mixed, and code that the compiler adds has no segments.
func TestASourceMapGivesTheLinesOfAModule(t *testing.T) {
	file, base := wasm([]int{20, 20})
	first, second := int(base)+2, int(base)+2+21
	segments := []string{
		vlq(3, 1, 0, 0),                // in the header of the module: not code
		vlq(first+1-3, 0, 4, 7),        // Main.mo:5
		vlq(2, 0, 0, 3),                // the same line
		vlq(2, 1, 10, -10),             // Array.mo:15
		vlq(2, -1, -9, 0, 0),           // Main.mo:6, with a name
		vlq(1),                         // no line
		vlq(1, -1, 0, 0),               // prelude:6
		vlq(second+4-first-9, 1, 1, 0), // Main.mo:7, in the second function
		vlq(2, 2, 0, 0),                // a source without a name
	}
	text := mapOf(`"prelude", "src/Main.mo", "../p/.mops/base@0.7.0/src/Array.mo", ""`, strings.Join(segments, ",")+";"+vlq(1, 0, 0, 0))
	lines := read(t, file, sourcelines.SourceMap(text))
	want := strings.Join([]string{
		`root ""`, `files [".mops/base@0.7.0/src/Array.mo" "prelude" "src/Main.mo"]`,
		fmt.Sprintf("%#06x src/Main.mo:5 own=true", first+1),
		fmt.Sprintf("%#06x .mops/base@0.7.0/src/Array.mo:15 own=false", first+5),
		fmt.Sprintf("%#06x src/Main.mo:6 own=true", first+7),
		fmt.Sprintf("%#06x -", first+8),
		fmt.Sprintf("%#06x prelude:6 own=false", first+9),
		fmt.Sprintf("%#06x -", second-1), // the next function
		fmt.Sprintf("%#06x src/Main.mo:7 own=true", second+4),
		fmt.Sprintf("%#06x -", second+6),
	}, "\n") + "\n"
	if got := listing(lines, len(file)); got != want {
		t.Errorf("the map gives\n%s\nwant\n%s", got, want)
	}
}

func TestASourceMapTakesThePlaceOfDebugInformation(t *testing.T) {
	file := fixture(t, "debug.wasm")
	lines := read(t, file, sourcelines.SourceMap(mapOf(`"file:///p/x.mo"`, vlq(0x50, 0, 0, 0))))
	if files := lines.Files(); !slices.Equal(files, []string{"/p/x.mo"}) {
		t.Errorf("with a map the files are %q", files)
	}
}

func TestADamagedSourceMapIsRefused(t *testing.T) {
	file, _ := wasm([]int{20})
	for text, want := range map[string]string{
		"":                 "is not JSON",
		"[]":               "is not JSON",
		`{"mappings": ""}`: "has version 0, not 3",
		`{"version": 3}`:   "has no mappings",
		`{"version": 3, "mappings": "", "sections": []}`: "is one of several maps",
		string(mapOf(`"a"`, "A,!")):                      "is damaged in segment 1",
		string(mapOf(`"a"`, "AA")):                       "is damaged in segment 0",
		string(mapOf(`"a"`, "AAA")):                      "is damaged in segment 0",
		string(mapOf(`"a"`, "AAAAAA")):                   "is damaged in segment 0",
		string(mapOf(`"a"`, "AAAg")):                     "is damaged in segment 0",
		string(mapOf(`"a"`, "AggggggggA")):               "is damaged in segment 0",
		string(mapOf(`"a"`, vlq(0, 1, 0, 0))):            "has source 1 of 1 in segment 0",
		string(mapOf(`"a"`, vlq(0, -1, 0, 0))):           "has source -1 of 1 in segment 0",
		string(mapOf(`"a"`, vlq(-1, 0, 0, 0))):           "has code at byte -1 of a module of",
		string(mapOf(`"a"`, vlq(len(file), 0, 0, 0))):    "so it is of another build",
	} {
		_, err := sourcelines.Read(file, sourcelines.SourceMap([]byte(text)))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "moc --map") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if lines := read(t, file, sourcelines.SourceMap(mapOf(`"a", null`, vlq(len(file)-1, 0, -9, 0)+","+vlq(0, 1, 20, 0)))); !lines.Empty() {
		t.Errorf("a line below 1 and a source without a name are %s", listing(lines, len(file)))
	}
}
