package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, system := range os.Args[1:] {
		if err := vetFor(ctx, ".", system); err != nil {
			fmt.Fprintf(os.Stderr, "crossvet: %s: %v\n", system, err)
			os.Exit(1)
		}
	}
}

// vetFor vets the packages of the module in a folder, and their tests, for a system GOOS/GOARCH. It prints mistakes.
func vetFor(ctx context.Context, folder, system string) error {
	goos, goarch, found := strings.Cut(system, "/")
	if !found {
		return fmt.Errorf("invalid system %q: expected GOOS/GOARCH", system)
	}
	all, err := packages.Load(&packages.Config{
		Context: ctx, Dir: folder, Mode: packages.LoadAllSyntax | packages.NeedModule, Tests: true,
		Env: append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return err
	}
	if n := packages.PrintErrors(all); n > 0 {
		return fmt.Errorf("%d errors", n)
	}
	analyzers := slices.Clone(vet.Suite)
	graph, err := checker.Analyze(slices.DeleteFunc(analyzers, readsDependencies), all, nil)
	if err != nil {
		return err
	}
	return report(graph)
}

// readsDependencies reports whether an analyzer also reads every package that is imported. The go command runs those
// for this system, and what they find does not depend on the system.
func readsDependencies(a *analysis.Analyzer) bool {
	return len(a.FactTypes) > 0 || slices.ContainsFunc(a.Requires, readsDependencies)
}

// report prints what analyzers have found.
func report(graph *checker.Graph) error {
	mistakes := 0
	for action := range graph.All() {
		if action.Err != nil {
			return fmt.Errorf("%s of %s: %w", action.Analyzer, action.Package, action.Err)
		}
		if action.IsRoot {
			mistakes += len(action.Diagnostics)
		}
	}
	if mistakes == 0 {
		return nil
	}
	return errors.Join(fmt.Errorf("%d mistakes", mistakes), graph.PrintText(os.Stderr, 0))
}
