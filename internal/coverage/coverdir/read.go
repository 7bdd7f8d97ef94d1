package coverdir

import (
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/coverage"
	"github.com/canisterd/canisterd/internal/sourcelines"
)

// Joined is what all processes of a directory ran.
type Joined struct {
	coverage.Report
	Calls []Call // in the order of canisters and methods
	// Unread says which modules have debug information that cannot be read, and why. Their coverage has no lines.
	Unread []error
}

// Call says what became of the calls of a canister to a method.
type Call struct {
	Canister string
	canister.CoveredCall
}

// Read joins the files of a directory. A module is called by its name, if name knows one of its hash, else by the
// beginning of the hash.
func Read(dir string, name func(hash [32]byte) string) (*Joined, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "ran-*.gob"))
	if err != nil {
		return nil, fmt.Errorf("read coverage: %w", err)
	}
	if len(paths) > MaxProcesses {
		return nil, fmt.Errorf("read coverage: %s has the files of %d processes, at most %d are read: delete those of earlier runs", dir, len(paths), MaxProcesses)
	}
	modules := map[[32]byte]*canister.CoveredModule{}
	for _, path := range paths {
		p, err := readProcess(path)
		if err != nil {
			return nil, err
		}
		for i := range p.Modules {
			join(modules, &p.Modules[i])
		}
	}
	return report(dir, modules, name)
}

func readProcess(path string) (p process, err error) {
	f, err := os.Open(path)
	if err != nil {
		return p, fmt.Errorf("read coverage: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := gob.NewDecoder(io.LimitReader(f, MaxProcessBytes)).Decode(&p); err != nil {
		return p, fmt.Errorf("read coverage: %s is damaged, or larger than %d bytes: delete it and run the tests again: %w", path, MaxProcessBytes, err)
	}
	if p.Format != format {
		return p, fmt.Errorf("read coverage: %s has format %d, and this canisterd reads format %d: run the tests again with this one", path, p.Format, format)
	}
	return p, nil
}

// join adds what a process ran of a module. Two processes of the same program have the same blocks; those of another
// version of it do not count.
func join(all map[[32]byte]*canister.CoveredModule, m *canister.CoveredModule) {
	known := all[m.Hash]
	if known == nil {
		all[m.Hash] = m
		return
	}
	for i := range known.Functions {
		if i >= len(m.Functions) || len(m.Functions[i].Blocks) != len(known.Functions[i].Blocks) {
			return
		}
	}
	for i := range known.Functions {
		for at, b := range m.Functions[i].Blocks {
			known.Functions[i].Blocks[at].Ran = known.Functions[i].Blocks[at].Ran || b.Ran
		}
	}
	for _, c := range m.Calls {
		at := slices.IndexFunc(known.Calls, func(k canister.CoveredCall) bool { return k.Method == c.Method })
		if at < 0 {
			known.Calls = append(known.Calls, c)
			continue
		}
		known.Calls[at].Add(&c)
	}
}

func report(dir string, modules map[[32]byte]*canister.CoveredModule, name func([32]byte) string) (*Joined, error) {
	out := new(Joined)
	for _, hash := range slices.SortedFunc(maps.Keys(modules), func(a, b [32]byte) int { return slices.Compare(a[:], b[:]) }) {
		m := modules[hash]
		called := name(hash)
		if called == "" {
			called = "module " + hex.EncodeToString(hash[:4])
		}
		lines, err := linesOf(filepath.Join(dir, moduleName(hash)))
		if err != nil {
			out.Unread = append(out.Unread, fmt.Errorf("%s: %w", called, err))
		}
		if err := out.Add(ModuleOf(called, m, lines)); err != nil {
			return nil, err
		}
		for _, c := range m.Calls {
			out.Calls = append(out.Calls, Call{called, c})
		}
	}
	return out, nil
}

// ModuleOf returns what ran of a module of a canister, for a report.
func ModuleOf(name string, m *canister.CoveredModule, lines *sourcelines.Lines) coverage.Module {
	out := coverage.Module{Name: name, Hash: m.Hash, Lines: lines}
	for _, f := range m.Functions {
		blocks := make([]coverage.Block, len(f.Blocks))
		for i, b := range f.Blocks {
			blocks[i] = coverage.Block(b)
		}
		out.Functions = append(out.Functions, coverage.Function{Name: f.Name, Index: f.Index, Blocks: blocks})
	}
	return out
}

// linesOf reads the lines of a module; nil if the module is not there.
func linesOf(path string) (*sourcelines.Lines, error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > MaxModuleBytes {
		return nil, nil //nolint:nilerr // then there are no lines
	}
	module, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return sourcelines.Read(module)
}
