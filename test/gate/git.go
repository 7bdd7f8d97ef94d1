package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// git runs git and returns the lines of its output.
func git(ctx context.Context, args ...string) ([]string, error) {
	return lines(ctx, "git", args...)
}

// lines runs a command and returns the lines of its output.
func lines(ctx context.Context, name string, args ...string) ([]string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		var said string
		if exit, ok := err.(*exec.ExitError); ok {
			said = ": " + strings.TrimSpace(string(exit.Stderr))
		}
		return nil, fmt.Errorf("%s %s: %w%s", name, strings.Join(args, " "), err, said)
	}
	if text := strings.TrimRight(string(out), "\n"); text != "" {
		return strings.Split(text, "\n"), nil
	}
	return nil, nil
}

// tree is what a run must leave as it was: the commit, and the files that differ from it.
type tree struct {
	commit string
	status string // empty if the tree is clean
}

func readTree(ctx context.Context) (tree, error) {
	head, err := git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return tree{}, err
	}
	status, err := git(ctx, "status", "--porcelain")
	return tree{head[0], strings.Join(status, "\n")}, err
}
