package sourcelines_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/internal/sourcelines"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t testing.TB, file []byte, options ...sourcelines.Option) *sourcelines.Lines {
	t.Helper()
	lines, err := sourcelines.Read(file, options...)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// listing lists the line of each byte of a module, one for each change.
func listing(lines *sourcelines.Lines, size int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "root %q\nfiles %q\n", lines.Root(), lines.Files())
	last := "-"
	for offset := range uint32(size) {
		now := "-"
		if line, ok := lines.At(offset); ok {
			now = fmt.Sprintf("%s:%d own=%t", line.File, line.Number, sourcelines.Own(line.File))
		}
		if now != last {
			fmt.Fprintf(&out, "%#06x %s\n", offset, now)
		}
		last = now
	}
	return out.String()
}

func TestLinesOfCompiledModulesAreThoseOfTheirSources(t *testing.T) {
	for _, name := range []string{"c4", "c5", "debug", "rust"} {
		t.Run(name, func(t *testing.T) {
			file := fixture(t, name+".wasm")
			golden.Compare(t, "testdata/"+name+".lines", listing(read(t, file), len(file)))
		})
	}
}

func TestAModuleWithoutDebugInformationHasNoLines(t *testing.T) {
	file := fixture(t, "stripped.wasm")
	lines := read(t, file)
	if _, ok := lines.At(60); ok || !lines.Empty() || lines.Root() != "" || len(lines.Files()) != 0 || lines.Between(0, uint32(len(file))) != nil {
		t.Errorf("a module without debug information has %s", listing(lines, len(file)))
	}
	var none *sourcelines.Lines
	if _, ok := none.At(0); ok || !none.Empty() || none.Between(0, 1) != nil || none.Root() != "" || none.Files() != nil {
		t.Error("no Lines have lines")
	}
}

func TestASeparateDebugFileHasTheLinesOfAStrippedModule(t *testing.T) {
	file, debug := fixture(t, "stripped.wasm"), fixture(t, "debug.wasm")
	want := listing(read(t, debug), len(file))
	if got := listing(read(t, file, sourcelines.DebugFile(debug)), len(file)); got != want {
		t.Errorf("with its debug file the module has\n%s\nwant\n%s", got, want)
	}
	if _, err := sourcelines.Read(file, sourcelines.DebugFile(fixture(t, "rust.wasm"))); err == nil || !strings.Contains(err.Error(), "of the same build") {
		t.Errorf("the debug file of another module: %v", err)
	}
}

func TestBetweenListsTheLinesOfARangeOnceInTheirOrder(t *testing.T) {
	lines := read(t, fixture(t, "debug.wasm"))
	var numbers []int
	var from, to uint32
	for offset := range uint32(2000) { // the function sum
		if line, ok := lines.At(offset); ok && line == (sourcelines.Line{File: "src/sum.c", Number: 10}) {
			from = offset
			break
		}
	}
	for to = from; ; to++ {
		if line, ok := lines.At(to); !ok || line.File != "src/sum.c" {
			break
		}
	}
	for _, line := range lines.Between(from, to) {
		numbers = append(numbers, line.Number)
	}
	if want := []int{10, 11, 12, 13, 14}; !slices.Equal(numbers, want) {
		t.Errorf("sum has lines %d, want %d", numbers, want)
	}
	if one := lines.Between(to-1, to); len(one) != 1 || one[0].Number != 14 {
		t.Errorf("the last byte of sum has lines %v", one)
	}
	if none := lines.Between(to, to); none != nil {
		t.Errorf("no bytes have lines %v", none)
	}
}

func TestAFunctionBeginsAtItsFirstLine(t *testing.T) {
	file := fixture(t, "debug.wasm")
	lines := read(t, file)
	var got []string
	for place := range lines.Functions() {
		if line, ok := lines.OfFunction(place); ok {
			got = append(got, fmt.Sprintf("%s:%d", line.File, line.Number))
		} else {
			got = append(got, "-")
		}
	}
	if want := []string{"src/sum.c:3", "src/sum.c:10", "src/twice.h:1"}; !slices.Equal(got, want) {
		t.Errorf("the functions begin at %q, want %q", got, want)
	}
	for _, place := range []int{-1, lines.Functions()} {
		if line, ok := lines.OfFunction(place); ok {
			t.Errorf("function %d, which does not exist, begins at %v", place, line)
		}
	}
	var none *sourcelines.Lines
	if _, ok := none.OfFunction(0); ok || none.Functions() != 0 || none.Bytes() != 0 {
		t.Error("no Lines have functions")
	}
	if bytes := lines.Bytes(); bytes < 100 || bytes > 4096 {
		t.Errorf("the lines of a module of %d bytes take %d bytes", len(file), bytes)
	}
}
