package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// clone is a git repository with limits in the folders a, b and c.
type clone struct {
	*testing.T
	root string
}

func newClone(t *testing.T) *clone {
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
	} {
		t.Setenv(name, value)
	}
	c := &clone{t, t.TempDir()}
	c.git("init", "--quiet", "--initial-branch", "main")
	for _, folder := range []string{"a", "b", "c"} {
		c.write(folder+"/limits.go", "package p\n\nconst Max = 1\n")
	}
	c.commit("first")
	return c
}

func (c *clone) git(args ...string) string {
	c.Helper()
	out, err := git(c.Context(), c.root, args...)
	if err != nil {
		c.Fatal(err)
	}
	return out
}

func (c *clone) write(path, text string) {
	c.Helper()
	path = filepath.Join(c.root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
}

// change gives a file another limit.
func (c *clone) change(path string) {
	c.Helper()
	c.write(path, "package p\n\nconst Max = 2\n")
}

func (c *clone) commit(subject string) {
	c.Helper()
	c.git("add", "--all")
	c.git("commit", "--quiet", "--allow-empty", "--message", subject)
}

// since returns the names of the candidates.
func (c *clone) since(o options) string {
	c.Helper()
	o.only = regexp.MustCompile("")
	chosen, err := candidates(c.Context(), c.root, c.limits(), o)
	if err != nil {
		c.Fatal(err)
	}
	all := names(chosen)
	slices.Sort(all)
	return strings.ReplaceAll(strings.Join(all, ", "), "/limits.go:Max: ", " ")
}

func (c *clone) limits() []mutant {
	c.Helper()
	files, err := limitsFiles(c.root)
	if err != nil {
		c.Fatal(err)
	}
	var all []mutant
	for _, file := range files {
		mutants, err := mutantsOf(c.root, file, constants)
		if err != nil {
			c.Fatal(err)
		}
		all = append(all, mutants...)
	}
	return all
}

func TestOnlyMutantsOfChangedFilesAreCandidates(t *testing.T) {
	c := newClone(t)
	c.change("a/limits.go")
	c.commit("committed")
	c.change("b/limits.go") // not committed
	c.change("d/limits.go") // not known to git
	if got, want := c.since(options{since: "HEAD^"}), "a doubled, a halved, b doubled, b halved, d doubled, d halved"; got != want {
		t.Errorf("since the first commit the mutants are %s, want %s", got, want)
	}
	if got, want := c.since(options{since: "HEAD"}), "b doubled, b halved, d doubled, d halved"; got != want {
		t.Errorf("since the last commit the mutants are %s, want %s", got, want)
	}
	if got := c.since(options{since: "HEAD^", sample: 2}); strings.Count(got, ",") != 1 {
		t.Errorf("the sample of two is %s", got)
	}
}

func TestAChangeWithoutMutantsHasNoCandidate(t *testing.T) {
	c := newClone(t)
	c.write("README.md", "read me")
	c.commit("second")
	if got := c.since(options{since: branch}); got != "" {
		t.Errorf("the mutants are %s, want none", got)
	}
}

func TestABranchIsComparedWithTheCommitWhereItLeftMain(t *testing.T) {
	c := newClone(t)
	c.git("checkout", "--quiet", "-b", "topic")
	c.change("a/limits.go")
	c.commit("second")
	c.write("README.md", "read me")
	c.commit("third")
	c.git("checkout", "--quiet", "main")
	c.change("b/limits.go")
	c.commit("what main has beside")
	c.git("checkout", "--quiet", "topic")
	if got, want := c.since(options{since: branch}), "a doubled, a halved"; got != want {
		t.Errorf("the mutants of the branch are %s, want %s", got, want)
	}
}

func TestMainIsComparedWithItsOriginOrElseWithItsLastCommit(t *testing.T) {
	c := newClone(t)
	c.change("a/limits.go")
	c.commit("second")
	c.change("b/limits.go")
	c.commit("third")
	if got, want := c.since(options{since: branch}), "b doubled, b halved"; got != want {
		t.Errorf("the mutants of main are %s, want %s", got, want)
	}
	c.git("update-ref", "refs/remotes/origin/main", "HEAD~2")
	if got, want := c.since(options{since: branch}), "a doubled, a halved, b doubled, b halved"; got != want {
		t.Errorf("the mutants of what is not pushed are %s, want %s", got, want)
	}
	c.git("update-ref", "refs/remotes/origin/main", "HEAD")
	if got, want := c.since(options{since: branch}), "b doubled, b halved"; got != want {
		t.Errorf("the mutants of the last commit of the origin are %s, want %s", got, want)
	}
}

func TestTheFirstCommitHasNoCandidateAndAnUnknownOneIsRefused(t *testing.T) {
	c := newClone(t)
	if _, _, err := changedSince(t.Context(), c.root, branch, c.limits()); !errors.Is(err, errNoBase) {
		t.Errorf("of the first commit it says %v", err)
	}
	if got := c.since(options{since: branch}); got != "" {
		t.Errorf("the mutants of the first commit are %s, want none", got)
	}
	_, err := candidates(t.Context(), c.root, c.limits(), options{since: "gone"})
	if err == nil || !strings.Contains(err.Error(), `no commit is called "gone"`) {
		t.Errorf("of an unknown commit it says %v", err)
	}
}
