package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// branch stands for the commit that this branch began at, see base.
const branch = "branch"

// errNoBase says that there is nothing to compare with.
var errNoBase = errors.New("HEAD has no parent here: it is the first commit, or the clone has no more of them (git fetch --unshallow)")

// changedSince returns the mutants in files that differ from a commit, committed or not, and the name of the commit.
func changedSince(ctx context.Context, root, commit string, mutants []mutant) (changed []mutant, name string, err error) {
	if commit == branch {
		if commit, err = base(ctx, root); err != nil {
			return nil, "", err
		}
	}
	if name, err = git(ctx, root, "rev-parse", "--short", "--verify", commit+"^{commit}"); err != nil {
		return nil, "", fmt.Errorf("no commit is called %q: give -since (make BASE) one that this clone has: %w", commit, err)
	}
	edited, err := git(ctx, root, "diff", "--name-only", "--no-renames", "-z", name)
	if err != nil {
		return nil, "", err
	}
	added, err := git(ctx, root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z")
	if err != nil {
		return nil, "", err
	}
	files := map[string]bool{}
	for _, file := range strings.Split(edited+"\x00"+added, "\x00") {
		files[file] = true
	}
	for _, m := range mutants {
		if files[m.file] {
			changed = append(changed, m)
		}
	}
	return changed, name, nil
}

// base returns the commit where this branch left main: the one of the origin, or else the one of this clone. On main
// it is the parent of HEAD.
func base(ctx context.Context, root string) (string, error) {
	head, err := git(ctx, root, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return "", err
	}
	for _, main := range []string{"origin/main", "main"} {
		if common, err := git(ctx, root, "merge-base", "HEAD", main); err == nil && common != head {
			return common, nil
		}
	}
	parent, err := git(ctx, root, "rev-parse", "--verify", "--quiet", "HEAD^")
	if err != nil {
		return "", errNoBase
	}
	return parent, nil
}

// git returns what git prints.
func git(ctx context.Context, root string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("running git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
