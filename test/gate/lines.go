package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// count is the command gate lines: it counts the lines of code of the packages that some others are made of.
func count(ctx context.Context, flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("lines: name the packages that are linked or promised")
	}
	counts, err := countLinked(ctx, flags.Args())
	if err != nil {
		return err
	}
	slices.SortFunc(counts, func(a, b packageLines) int { return cmp.Or(b.lines-a.lines, strings.Compare(a.name, b.name)) })
	total := 0
	for _, c := range counts {
		fmt.Printf("%6d  %s\n", c.lines, c.name)
		total += c.lines
	}
	fmt.Printf("%6d  in %d packages, without comments, empty lines and generated files\n", total, len(counts))
	return nil
}

type packageLines struct {
	name  string
	lines int
}

// countLinked counts the lines of the packages of this module that the named ones are made of, and of those themselves.
func countLinked(ctx context.Context, patterns []string) (counts []packageLines, err error) {
	args := append([]string{"list", "-deps", "-json=ImportPath,Dir,Module,GoFiles,IgnoredGoFiles"}, patterns...)
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir         string
			Module                  struct{ Main bool }
			GoFiles, IgnoredGoFiles []string // the latter are of other systems
		}
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return counts, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		case !p.Module.Main:
			continue
		}
		c := packageLines{name: p.ImportPath}
		for _, name := range append(p.GoFiles, p.IgnoredGoFiles...) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, fmt.Errorf("counting lines: %w", err)
			}
			c.lines += countLines(source)
		}
		counts = append(counts, c)
	}
}

// countLines returns how many lines of a Go file have code; none of a generated file.
func countLines(source []byte) int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	count, last := 0, 0
	for {
		at, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return count
		case kind == token.COMMENT:
			if generated(text) {
				return 0
			}
			continue
		case kind == token.SEMICOLON && text == "\n": // at the end of a line that has counted
			continue
		}
		from := file.Line(at)
		to := from + strings.Count(text, "\n") // of a raw string
		count += to - max(from, last+1) + 1
		last = to
	}
}

// generated reports whether a comment says that its file is generated.
func generated(comment string) bool {
	group := &ast.File{Comments: []*ast.CommentGroup{{List: []*ast.Comment{{Slash: 1, Text: comment}}}}, Package: token.Pos(len(comment) + 2)}
	return ast.IsGenerated(group)
}
