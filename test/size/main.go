// Command size prints which modules make the binary of canisterd large.
//
//	size BINARY
//
// BINARY is built with its symbol table (make build). Each row is a module that is linked into it, with the bytes of its
// machine code. Go keeps a table of lines, frames and names of about the same size for it, and data; the last column
// shares the whole file between the modules by their code. What a module imports is not counted with it.
package main

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: size BINARY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

// share is what a module has of the machine code.
type share struct {
	module string
	code   uint64 // bytes
}

func run(binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("reading the modules of %s: %w", binary, err)
	}
	modules := []string{info.Main.Path}
	for _, m := range info.Deps {
		modules = append(modules, m.Path)
	}
	functions, err := functionsOf(binary)
	if err != nil {
		return fmt.Errorf("reading the functions of %s: %w", binary, err)
	}
	file, err := os.Stat(binary)
	if err != nil {
		return err
	}
	return printShares(sharesOf(functions, modules), file.Size())
}

// functionsOf returns the bytes of the functions in a binary by their names.
func functionsOf(binary string) (map[string]uint64, error) {
	f, err := elf.Open(binary)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	functions := map[string]uint64{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			functions[s.Name] += s.Size
		}
	}
	return functions, nil
}

// sharesOf adds the functions of each module, the largest first. What belongs to no module is Go's.
func sharesOf(functions map[string]uint64, modules []string) []share {
	byModule := map[string]uint64{}
	for name, size := range functions {
		byModule[moduleOf(name, modules)] += size
	}
	var shares []share
	for module, code := range byModule {
		shares = append(shares, share{module, code})
	}
	slices.SortFunc(shares, func(a, b share) int { return cmp.Or(cmp.Compare(b.code, a.code), cmp.Compare(a.module, b.module)) })
	return shares
}

// moduleOf returns the module with the longest path in front of the name of a function. The linker writes dots in the last
// element of an import path as %2e; a name of a generic function begins with its package, whatever its types are.
func moduleOf(function string, modules []string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(function, "type:.eq."), "%2e", ".")
	longest := ""
	for _, m := range modules {
		if rest, found := strings.CutPrefix(name, m); found && len(m) > len(longest) && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/")) {
			longest = m
		}
	}
	switch {
	case longest != "":
		return longest
	case strings.HasPrefix(name, "main."):
		return modules[0]
	}
	return "Go"
}

func printShares(shares []share, file int64) error {
	var all uint64
	for _, s := range shares {
		all += s.code
	}
	if all == 0 {
		return fmt.Errorf("there are no functions in its symbol table: it was built with -s or is not an ELF file of Go")
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "code KB\t%%\tfile MB\t\n")
	for _, s := range shares {
		part := float64(s.code) / float64(all)
		fmt.Fprintf(table, "%d\t%.1f\t%.2f\t  %s\n", s.code/1000, 100*part, part*float64(file)/1e6, s.module)
	}
	return table.Flush()
}
