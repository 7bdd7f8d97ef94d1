package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/cmd/canisterd/internal/build"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/project"
)

func (c *cli) build() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build [CANISTER...]",
		Short: "Build the modules of the canisters of a directory",
		Long: `Build the modules of the canisters of a directory that have build:, motoko: or rust: in
` + project.File + ` (docs/project.md), all or the named ones. The directory is the current one, or
the nearest one above it that has a ` + project.File + `. No daemon is needed.

A build runs code of the project, as make does. What it prints goes to standard error.`,
		Example: `  canisterd build
  canisterd build bank`,
		RunE: func(cmd *cobra.Command, names []string) error {
			p, err := c.readProject(project.Nearest())
			if err != nil {
				return err
			}
			if err := checkBuilt(p, names); err != nil {
				return err
			}
			if err := c.buildModules(cmd.Context(), p, names); err != nil {
				return err
			}
			t, modules := c.table("CANISTER", "MODULE"), map[string]string{}
			for _, name := range sortedKeys(p.Canisters) {
				if spec := p.Canisters[name]; spec.Built() && chosen(names, name) {
					t.row(name, spec.Wasm)
					modules[name] = spec.Wasm
				}
			}
			return c.print(t.String(), modules)
		},
	}
	c.allowOutside(cmd)
	c.selectNetwork(cmd)
	return cmd
}

// checkBuilt refuses names of canisters that are not built, and a project without any that is.
func checkBuilt(p *project.Project, names []string) error {
	var built []string
	for _, name := range sortedKeys(p.Canisters) {
		if p.Canisters[name].Built() {
			built = append(built, name)
		}
	}
	for _, name := range names {
		switch {
		case p.Canisters[name] == nil:
			return fmt.Errorf("%s is not a canister of the project%s", name, reference.Meant(name, sortedKeys(p.Canisters)))
		case !slices.Contains(built, name):
			return fmt.Errorf("canister %s is not built: its module is %s; build it with build:, motoko: or rust: in %s", name, p.Canisters[name].Wasm, project.File)
		}
	}
	if len(built) == 0 {
		return fmt.Errorf("no canister of the project is built: build them with build:, motoko: or rust: in %s", project.File)
	}
	return nil
}

// chosen reports whether names, all without any, have a name among them.
func chosen(names []string, name string) bool {
	return len(names) == 0 || slices.Contains(names, name)
}

// buildModules builds the modules of canisters of a project, all without names, in the order of their installation.
func (c *cli) buildModules(ctx context.Context, p *project.Project, only []string) error {
	order, err := p.Order()
	if err != nil {
		return err
	}
	for _, name := range order {
		if !p.Canisters[name].Built() || !chosen(only, name) {
			continue
		}
		c.announceBuild(name)
		took, err := c.buildModule(ctx, p, name)
		if err != nil {
			return err
		}
		c.note("%s: built in %s", name, brief(took))
	}
	return nil
}

// announceBuild tells a person who waits for a build what is being built. The line stays: it cannot be removed once the
// compiler has printed something below it.
func (c *cli) announceBuild(name string) {
	if terminal(c.err) {
		c.note("%s: building", name)
	}
}

// buildModule builds the module of a canister, and returns how long it took. What programs print goes to standard error;
// with --json it is part of the error.
func (c *cli) buildModule(ctx context.Context, p *project.Project, name string) (time.Duration, error) {
	if err := deployed.MakeDirectory(p.Folder()); err != nil {
		return 0, err
	}
	output, kept := c.err, new(bytes.Buffer)
	if c.json {
		output = io.Writer(kept)
	}
	begun := time.Now()
	if err := build.Run(ctx, p, name, output); err != nil {
		if kept.Len() > 0 {
			err = fmt.Errorf("%w\n%s", err, bytes.TrimSpace(kept.Bytes()))
		}
		return 0, fmt.Errorf("canister %s: %w", name, err)
	}
	return time.Since(begun), nil
}

// longTime is the time from which on people read seconds rather than milliseconds.
const longTime = 100 * time.Millisecond

// brief formats how long something took.
func brief(took time.Duration) string {
	if took < longTime {
		return fmt.Sprintf("%d ms", took.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", took.Seconds())
}
