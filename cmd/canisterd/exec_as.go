package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/systemcanisters"
)

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// toolsOf parses the value of --as.
func toolsOf(as string) ([]string, error) {
	switch {
	case as == "":
		return nil, nil
	case as == "all":
		return sortedKeys(hooks), nil
	case hooks[as] == nil:
		return nil, fmt.Errorf("invalid --as %q: expected one of %s, all", as, strings.Join(sortedKeys(hooks), ", "))
	}
	return []string{as}, nil
}

// standIn makes tools find canisterd instead of another program: with links for tools that start it, and a server for
// tools that take its address. end removes both.
func standIn(ctx context.Context, c *cli, tools []string) (environment []string, end func() error, err error) {
	if len(tools) == 0 {
		return nil, func() error { return nil }, nil
	}
	folder, err := os.MkdirTemp("", "canisterd-")
	if err != nil {
		return nil, nil, fmt.Errorf("creating the directory for links: %w", err)
	}
	remove := func() error { return os.RemoveAll(folder) }
	for _, tool := range tools {
		variables, err := linkTool(folder, tool, "")
		if err != nil {
			return nil, nil, errors.Join(err, remove())
		}
		environment = append(environment, variables...)
	}
	server, err := startDaemon(context.WithoutCancel(ctx), daemon.Config{
		Listen: "127.0.0.1:0", PocketIC: true, Diagnostics: c.err, CompileWorker: compileWorker(), SystemModules: os.Getenv(systemcanisters.FolderVariable),
		CoverDir: c.coverDir,
	})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("starting a server for tools that take its address: %w", err), remove())
	}
	environment = append(environment, "MOPS_POCKET_IC_URL="+server.URL())
	return environment, func() error { return errors.Join(server.Close(), remove()) }, nil
}
