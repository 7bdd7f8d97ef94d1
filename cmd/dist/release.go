package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// What each kind of package says of canisterd.
const (
	repository        = "https://github.com/canisterd/canisterd"
	description       = "A local Internet Computer in one static binary, for people who write and test canisters."
	licenseExpression = "Apache-2.0"
	maintainer        = "canisterd <canisterd@users.noreply.github.com>"
)

// release is what is packed.
type release struct {
	version string    // semantic, without v: 1.2.3, or 0.0.0-dev.20261129092300 for a commit without a tag
	time    time.Time // of the commit, UTC: that of each file in each package
}

// releaseOfCheckout reads the release from git. A checkout with changes is refused: the packages would not be those of the
// commit that they name.
func releaseOfCheckout(ctx context.Context) (release, error) {
	changed, err := git(ctx, "status", "--porcelain")
	if err != nil {
		return release{}, err
	}
	if changed != "" {
		first, _, _ := strings.Cut(changed, "\n")
		return release{}, fmt.Errorf("the checkout has changes (%s): commit or stash them first", strings.TrimSpace(first))
	}
	seconds, err := git(ctx, "log", "-1", "--format=%ct")
	if err != nil {
		return release{}, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return release{}, fmt.Errorf("reading the time of the commit: %w", err)
	}
	r := release{time: time.Unix(unix, 0).UTC()}
	tag, err := git(ctx, "tag", "--points-at", "HEAD", "--list", "v[0-9]*", "--sort", "-version:refname")
	if err != nil {
		return release{}, err
	}
	r.version = versionOf(tag, r.time)
	return r, nil
}

// versionOf returns the version of a commit with some tags, one a line, the newest first.
func versionOf(tags string, commit time.Time) string {
	if tag, _, _ := strings.Cut(tags, "\n"); tag != "" {
		return strings.TrimPrefix(tag, "v")
	}
	return "0.0.0-dev." + commit.Format("20060102150405")
}

// split splits the version: 1.2.3-rc.1 into 1.2.3, rc and 1, and 1.2.3 into 1.2.3 and nothing.
func (r release) split() (base, kind, number string) {
	base, pre, _ := strings.Cut(r.version, "-")
	kind, number, _ = strings.Cut(pre, ".")
	return base, kind, number
}

// python returns the version as PEP 440 writes it: 0.0.0.dev20261129092300, 1.2.3rc1.
func (r release) python() string {
	base, kind, number := r.split()
	switch kind {
	case "":
		return base
	case "alpha":
		return base + "a" + number
	case "beta":
		return base + "b" + number
	case "rc":
		return base + "rc" + number
	}
	return base + ".dev" + number
}

// alpine returns the version as apk orders it, in two parts that it joins by an underscore: 0.0.0 and pre20261129092300,
// 1.2.3 and rc1. apk knows no dev.
func (r release) alpine() (base, suffix string) {
	base, kind, number := r.split()
	switch kind {
	case "", "alpha", "beta", "rc":
		return base, kind + number
	}
	return base, "pre" + number
}

// git runs git in the working directory and returns what it prints, trimmed.
func git(ctx context.Context, args ...string) (string, error) {
	printed, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(printed)), nil
}
