package main

import (
	"cmp"
	"debug/elf"
	"errors"
	"slices"
	"strings"
)

// share is the part of a module in the binary.
type share struct {
	module string
	code   uint64  // bytes of machine code
	file   float64 // bytes of the file
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
	if len(functions) == 0 {
		return nil, errors.New("there are none in its table of symbols")
	}
	return functions, nil
}

// sharesOf shares a file among modules, the largest first. What belongs to no module is Go's.
func sharesOf(functions map[string]uint64, embedded map[string]int64, modules []string, file int64) []share {
	byModule := map[string]*share{}
	of := func(name string) *share {
		module := moduleOf(name, modules)
		if byModule[module] == nil {
			byModule[module] = &share{module: module}
		}
		return byModule[module]
	}
	var code uint64
	for name, size := range functions {
		of(name).code += size
		code += size
	}
	for pkg, size := range embedded {
		of(pkg + ".").file += float64(size)
		file -= size
	}
	var shares []share
	for _, s := range byModule {
		s.file += float64(file) * float64(s.code) / float64(code)
		shares = append(shares, *s)
	}
	slices.SortFunc(shares, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.file, a.file), cmp.Compare(a.module, b.module))
	})
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
