package main

import (
	"bufio"
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/cmd/dist/compile"
)

// The platform of the sizes, on every computer.
const goos, goarch = "linux", "amd64"

// built are the binaries.
type built struct {
	stripped string // as it is released
	symbols  string // with a table of symbols
	lookups  []string
}

// build compiles the binary, and links it once more with its symbols.
func build(ctx context.Context, work string) (built, error) {
	b := built{stripped: filepath.Join(work, "stripped"), symbols: filepath.Join(work, "symbols")}
	if err := compile.Command(ctx, goos, goarch, compile.Stripped, b.stripped).Run(); err != nil {
		return b, fmt.Errorf("compiling canisterd: %w", err)
	}
	command := compile.Command(ctx, goos, goarch, "-w -dumpdep", b.symbols)
	command.Stderr = nil
	printed, err := command.StderrPipe()
	if err != nil {
		return b, err
	}
	if err := command.Start(); err != nil {
		return b, fmt.Errorf("compiling canisterd: %w", err)
	}
	lookups, err := methodLookups(printed)
	if err != nil {
		return b, fmt.Errorf("reading what the linker keeps: %w", err)
	}
	b.lookups = lookups
	if err := command.Wait(); err != nil {
		return b, fmt.Errorf("linking canisterd with its symbols: %w", err)
	}
	return b, nil
}

// methodLookups returns the functions that look up methods by names or numbers which the compiler does not know, from what
// the linker prints: each line has a symbol and one that it keeps because of it, with their marks. Functions of package
// reflect are left out if there are others: they are kept because of them.
func methodLookups(printed io.Reader) ([]string, error) {
	const mark = "<ReflectMethod>"
	var found []string
	lines := bufio.NewReader(printed) // lines of generic types have no limit
	for {
		line, err := lines.ReadString('\n')
		if _, kept, is := strings.Cut(strings.TrimSpace(line), " -> "); is && strings.Contains(kept, mark) {
			name, _, _ := strings.Cut(kept, " <")
			found = append(found, name)
		}
		if err == io.EOF {
			slices.Sort(found)
			found = slices.Compact(found)
			if others := slices.DeleteFunc(slices.Clone(found), inReflect); len(others) > 0 {
				return others, nil
			}
			return found, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func inReflect(function string) bool { return strings.HasPrefix(function, "reflect.") }

// linkedModules returns the paths of the modules in a binary, this one first.
func linkedModules(binary string) ([]string, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("reading the modules of %s: %w", binary, err)
	}
	modules := []string{info.Main.Path}
	for _, m := range info.Deps {
		modules = append(modules, m.Path)
	}
	return modules, nil
}

// embeddedBytes returns the bytes of the files that the packages of canisterd embed, by package.
func embeddedBytes(ctx context.Context) (map[string]int64, error) {
	const format = "{{$p := .}}{{range .EmbedFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}\n{{end}}"
	args := slices.Concat([]string{"list", "-deps", "-f", format}, compile.Flags, []string{"./cmd/canisterd"})
	command := exec.CommandContext(ctx, "go", args...)
	command.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	command.Stderr = os.Stderr
	printed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the embedded files: %w", err)
	}
	sizes := map[string]int64{}
	for line := range bytes.Lines(printed) {
		pkg, path, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		sizes[pkg] += info.Size()
	}
	return sizes, nil
}
