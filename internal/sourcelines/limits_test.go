package sourcelines_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/sourcelines"
)

// bounded reads something at its limit and one beyond: only the second is refused, with the text.
func bounded(t *testing.T, limit int, refusal string, read func(n int) error) {
	t.Helper()
	if err := read(limit); err != nil && strings.Contains(err.Error(), refusal) {
		t.Errorf("%d: %v", limit, err)
	}
	if err := read(limit + 1); err == nil || !strings.Contains(err.Error(), refusal) {
		t.Errorf("%d: %v, want %s", limit+1, err, refusal)
	}
}

// lineless is what reading a file with sections says, which has no code.
func lineless(sections ...[]byte) error {
	file, _ := wasm([]int{10}, sections...)
	_, err := sourcelines.Read(file)
	return err
}

func TestFilesHaveMaximumSizes(t *testing.T) {
	bounded(t, 100<<20, "the module has 104857601 bytes, more than 104857600", func(n int) error {
		_, err := sourcelines.Read(make([]byte, n))
		return err
	})
	bounded(t, 512<<20, "the debug file has 536870913 bytes, more than 536870912", func(n int) error {
		_, err := sourcelines.Read(nil, sourcelines.DebugFile(make([]byte, n)))
		return err
	})
	bounded(t, 128<<20, "the source map has 134217729 bytes, more than 134217728", func(n int) error {
		_, err := sourcelines.Read(nil, sourcelines.SourceMap(make([]byte, n)))
		return err
	})
}

func TestAModuleHasUpTo1048576Functions(t *testing.T) {
	bounded(t, 1<<20, "has more than 1048576", func(n int) error {
		file, _ := wasm(make([]int, n))
		_, err := sourcelines.Read(file)
		return err
	})
}

func TestDebugInformationHasUpTo65536Units(t *testing.T) {
	bounded(t, 1<<16, "more than 65536 units", func(n int) error {
		return lineless(custom(".debug_abbrev", []byte{1, 0x11, 0, 0, 0, 0}), custom(".debug_info", bytes.Repeat(prefixed([]byte{4, 0, 0, 0, 0, 0, 4, 1}), n)))
	})
}

// entryOf is an abbreviation of a size from 5 to 131 bytes.
func entryOf(size int) []byte {
	tag := []byte{0x11, 0}
	if size%2 == 0 {
		tag = []byte{0x91, 0, 0} // the same number in two bytes
	}
	return slices.Concat([]byte{1}, tag, bytes.Repeat([]byte{0x3f, 0x19}, (size-3-len(tag))/2), []byte{0, 0})
}

func TestAbbreviationsOfAllUnitsHaveUpTo16MiB(t *testing.T) {
	const size = 101
	small := append(entryOf(5), 0)
	bounded(t, 16<<20, "more than 16777216 bytes together", func(n int) error {
		left := n - len(small) - 1
		table := bytes.Repeat(entryOf(size), left/size-1)
		table = slices.Concat(table, entryOf(50), entryOf(size-50+left%size-30), entryOf(30), []byte{0})
		if len(table) != n-len(small) {
			t.Fatalf("a table has %d bytes, want %d", len(table), n-len(small))
		}
		unit := func(at uint32) []byte { return prefixed(slices.Concat([]byte{4, 0}, u32(at), []byte{4, 1})) }
		return lineless(custom(".debug_abbrev", append(table, small...)), custom(".debug_info", append(unit(0), unit(uint32(len(table)))...)))
	})
}

func TestAnAbbreviationHasUpTo64Attributes(t *testing.T) {
	bounded(t, 64, "an entry has more than 64 attributes", func(n int) error {
		table := slices.Concat([]byte{1, 0x11, 0}, bytes.Repeat([]byte{0x3f, 0x19}, n), []byte{0, 0, 0}) // external, present
		return lineless(custom(".debug_abbrev", table), custom(".debug_info", prefixed([]byte{4, 0, 0, 0, 0, 0, 4, 1})))
	})
}

func TestNamesAreCutTo1024Bytes(t *testing.T) {
	const limit = 1 << 10
	for n, want := range map[int]int{limit: limit, limit + 1: limit} {
		long := strings.Repeat("x", n)
		if name := naming(t, "", long); len(name) != want {
			t.Errorf("a file with a name of %d bytes has one of %d", n, len(name))
		}
		file, base := wasm([]int{10}, debug("", tableOf([]string{long}, []string{"1a"}, one(2, 10, 1)...)))
		if line, _ := read(t, file).At(base + 2); len(line.File) != want+2 {
			t.Errorf("a directory with a name of %d bytes has one of %d", n, len(line.File)-2)
		}
		file, base = wasm([]int{10}, indirect(long))
		lines := read(t, file)
		if line, _ := lines.At(base + 2); len(line.File) != want || len(lines.Root()) != want {
			t.Errorf("strings of %d bytes have %d in a table and %d in a unit", n, len(line.File), len(lines.Root()))
		}
		file, base = wasm([]int{10})
		lines = read(t, file, sourcelines.SourceMap(mapOf(`"`+long+`"`, vlq(int(base)+2, 0, 0, 0))))
		if line, _ := lines.At(base + 2); len(line.File) != want {
			t.Errorf("a source with a name of %d bytes has one of %d", n, len(line.File))
		}
	}
}

// indirect are the sections of a unit of version 5 whose names are in sections of strings: its directory is in
// .debug_str, as the file's name is, which is the first and only one.
func indirect(name string) []byte {
	unit := slices.Concat([]byte{5, 0, 1, 4, 0, 0, 0, 0, 1}, u32(0), u32(1))
	header := []byte{1, 1, 1, 0, 10, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0x1f, 1}
	header = slices.Concat(header, u32(0), []byte{2, 1, 0x0e, 2, 0x0b, 1}, u32(uint32(len(name)+2)), []byte{0})
	table := prefixed(slices.Concat([]byte{5, 0, 4, 0}, prefixed(header), one(2, 10, 0)))
	texts := slices.Concat([]byte{0, '/'}, []byte(name[1:]), []byte{0}, []byte(name), []byte{0})
	return slices.Concat(custom(".debug_abbrev", []byte{1, 0x11, 0, 0x10, 0x17, 0x1b, 0x0e, 0, 0, 0}), custom(".debug_info", prefixed(unit)),
		custom(".debug_line", table), custom(".debug_line_str", []byte{0}), custom(".debug_str", texts))
}

func TestALineTableHasUpTo65536Names(t *testing.T) {
	const limit = 1 << 16
	many := func(n int) []string { return slices.Repeat([]string{"0x"}, n) }
	bounded(t, limit, "more than 65536 directories", func(n int) error { return lineless(debug("", tableOf(many(n), nil))) })
	bounded(t, limit, "more than 65536 files", func(n int) error { return lineless(debug("", tableOf(nil, many(n)))) })
	bounded(t, limit, "more than 65536 files", func(n int) error {
		return lineless(debug("", tableOf(nil, many(n-1), 0, 6, 3, 'x', 0, 0, 0, 0)))
	})
	bounded(t, limit, "more than 65536 directories or files", func(n int) error {
		header := slices.Concat([]byte{1, 1, 1, 0, 10, 1, 1, 1, 0x08}, uleb(nil, uint64(n)), bytes.Repeat([]byte{0}, n), []byte{0, 0})
		return lineless(debug("", prefixed(slices.Concat([]byte{5, 0, 4, 0}, prefixed(header)))))
	})
	bounded(t, limit, "has 65537 sources, more than 65536", func(n int) error {
		file, _ := wasm([]int{10})
		_, err := sourcelines.Read(file, sourcelines.SourceMap(mapOf(strings.Repeat("null,", n-1)+"null", "")))
		return err
	})
}

func TestUpTo65536FilesHaveLines(t *testing.T) {
	bounded(t, 1<<16, "lines of more than 65536 files", func(n int) error {
		var tables [][]byte
		for _, part := range [][2]int{{0, 1 << 15}, {1 << 15, n}} {
			var files []string
			program := address(2)
			for i := part[0]; i < part[1]; i++ {
				files = append(files, fmt.Sprint("0f", i))
				program = append(append(uleb(append(program, 4), uint64(len(files))), 1), advance(1)...)
			}
			tables = append(tables, tableOf(nil, files, append(program, ended()...)...))
		}
		file, _ := wasm([]int{1 << 17}, debug("/p", tables...))
		lines, err := sourcelines.Read(file)
		if err == nil && len(lines.Files()) < 1<<15 {
			t.Errorf("only %d files have lines", len(lines.Files()))
		}
		return err
	})
}

func TestUpTo4194304RowsAreRead(t *testing.T) {
	const limit = 1 << 22
	bounded(t, limit, "more than 4194304 rows", func(n int) error {
		first := tableOf(nil, []string{"0a"}, slices.Concat(address(2), bytes.Repeat([]byte{1}, 10), ended())...)
		return lineless(debug("/p", first, tableOf(nil, []string{"0a"}, slices.Concat(address(2), bytes.Repeat([]byte{1}, n-10), ended())...)))
	})
	bounded(t, limit, "more than 4194304 segments", func(n int) error {
		file, _ := wasm([]int{10})
		_, err := sourcelines.Read(file, sourcelines.SourceMap(mapOf("", strings.Repeat("A,", n))))
		return err
	})
}

func TestLinesHaveNumbersUpTo16777216(t *testing.T) {
	const limit = 1 << 24
	for n, want := range map[int]bool{limit: true, limit + 1: false} {
		program := slices.Concat(address(2), uleb([]byte{3}, uint64(n-1)), []byte{1}, advance(10), ended())
		file, base := wasm([]int{10}, debug("/p", tableOf(nil, []string{"0a"}, program...)))
		if line, ok := read(t, file).At(base + 2); ok != want || ok && line.Number != n {
			t.Errorf("line %d of a table is %v (%t)", n, line, ok)
		}
		lines := read(t, file, sourcelines.SourceMap(mapOf(`"a"`, vlq(int(base)+2, 0, n-1, 0))))
		if line, ok := lines.At(base + 2); ok != want || ok && line.Number != n {
			t.Errorf("line %d of a map is %v (%t)", n, line, ok)
		}
	}
}
