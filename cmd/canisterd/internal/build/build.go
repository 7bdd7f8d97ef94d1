package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/canisterd/canisterd/internal/project"
)

// Run makes the module of a canister. What programs print goes to output. They end with the context.
func Run(ctx context.Context, p *project.Project, name string, output io.Writer) error {
	spec, r := p.Canisters[name], &runner{folder: p.Folder(), output: output}
	var err error
	switch {
	case spec.Motoko != nil:
		err = r.motoko(ctx, spec.Motoko, spec.Wasm)
	case spec.Rust != nil:
		err = r.rust(ctx, spec.Rust, spec.Wasm)
	default:
		err = r.run(shell(ctx, spec.Build), "build: "+firstLine(spec.Build))
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // it was ended
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(p.Path(spec.Wasm)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the build makes no %s: set wasm: to the module that it makes", spec.Wasm)
	}
	return nil
}

// Sources returns what the build of a canister reads, as patterns of canisterd.yaml.
func Sources(ctx context.Context, p *project.Project, name string) ([]string, error) {
	spec, r := p.Canisters[name], &runner{folder: p.Folder(), output: io.Discard}
	switch {
	case len(spec.Sources) > 0:
		return spec.Sources, nil
	case spec.Motoko != nil:
		return motokoSources(spec.Motoko), nil
	case spec.Rust != nil:
		return r.rustSources(ctx, spec.Rust)
	}
	return nil, nil
}

// runner runs programs for the build of a canister.
type runner struct {
	folder string    // of the project
	output io.Writer // of programs
}

// run runs a program in the folder of the project.
func (r *runner) run(cmd *exec.Cmd, what string) error {
	cmd.Stdout, cmd.Stderr = r.output, r.output
	return r.start(cmd, what)
}

// read runs a program in the folder of the project, and returns what it prints on standard output.
func (r *runner) read(cmd *exec.Cmd, what string) (string, error) {
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, r.output
	err := r.start(cmd, what)
	return text.String(), err
}

// start runs a program until it has ended. A program that it leaves behind is not waited for.
func (r *runner) start(cmd *exec.Cmd, what string) error {
	cmd.Dir, cmd.WaitDelay = r.folder, outputPatience
	endTogether(cmd)
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// firstLine returns the first line of a command, for errors.
func firstLine(command string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(command), "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

// missing is the error for a program that a recipe needs and that is not there.
func missing(program, install string) error {
	return fmt.Errorf("%s is not found: install it with %s", program, install)
}

// installed returns the path of what npm has installed, in the folder of the project or the nearest one above it that has
// it, "" if none has.
func (r *runner) installed(name ...string) string {
	folder, err := filepath.Abs(r.folder)
	for err == nil {
		path := filepath.Join(append([]string{folder, "node_modules"}, name...)...)
		if _, missing := os.Stat(path); missing == nil {
			return path
		}
		above := filepath.Dir(folder)
		if above == folder {
			break
		}
		folder = above
	}
	return ""
}

// makeFolderOf makes the folder of a file of the project.
func (r *runner) makeFolderOf(file string) error {
	if err := os.MkdirAll(filepath.Join(r.folder, filepath.Dir(file)), 0o755); err != nil {
		return fmt.Errorf("making the directory of the module: %w", err)
	}
	return nil
}
