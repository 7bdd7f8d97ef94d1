package build

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/regular"
)

// rustTarget is the target of Cargo for canisters.
const rustTarget = "wasm32-unknown-unknown"

// rust makes a module from Rust.
func (r *runner) rust(ctx context.Context, recipe *project.Rust, wasm string) error {
	cargo, err := cargoPath()
	if err != nil {
		return err
	}
	workspace, err := r.cargoMetadata(ctx, cargo)
	if err != nil {
		return err
	}
	made, err := workspace.module(recipe.Package)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, cargo, "build", "--quiet", "--release", "--target", rustTarget, "--package", recipe.Package)
	if err := r.run(cmd, "cargo build"); err != nil {
		return fmt.Errorf("%w (if the target is missing: rustup target add %s)", err, rustTarget)
	}
	module, err := regular.Read(made, maxModule)
	if err != nil {
		return fmt.Errorf("reading the module that cargo made: %w", err)
	}
	if err := r.makeFolderOf(wasm); err != nil {
		return err
	}
	return regular.Replace(filepath.Join(r.folder, wasm), func(w io.Writer) error {
		_, err := w.Write(module)
		return err
	})
}

func cargoPath() (string, error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return "", fmt.Errorf("rust: %w", missing("cargo", "rustup (https://rustup.rs), then rustup target add "+rustTarget))
	}
	return cargo, nil
}

// workspace is what cargo metadata says about the packages of a workspace.
type workspace struct {
	Packages []cargoPackage `json:"packages"`
	Root     string         `json:"workspace_root"`
	Target   string         `json:"target_directory"`
}

// cargoPackage is a package with its targets and dependencies.
type cargoPackage struct {
	Name         string `json:"name"`
	Manifest     string `json:"manifest_path"`
	Dependencies []struct {
		Path string `json:"path"` // of a package in another directory of this computer, else ""
	} `json:"dependencies"`
	Targets []struct {
		Name  string   `json:"name"`
		Kinds []string `json:"kind"`
	} `json:"targets"`
}

// cargoMetadata asks cargo about the workspace of the project, without its dependencies from elsewhere.
func (r *runner) cargoMetadata(ctx context.Context, cargo string) (*workspace, error) {
	text, err := r.read(exec.CommandContext(ctx, cargo, "metadata", "--format-version", "1", "--no-deps"), "cargo metadata")
	if err != nil {
		return nil, err
	}
	var w workspace
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return nil, fmt.Errorf("reading the output of cargo metadata: %w", err)
	}
	return &w, nil
}

// find returns a package of the workspace.
func (w *workspace) find(name string) (*cargoPackage, error) {
	var all []string
	for i := range w.Packages {
		if w.Packages[i].Name == name {
			return &w.Packages[i], nil
		}
		all = append(all, w.Packages[i].Name)
	}
	return nil, fmt.Errorf("rust: there is no package %s in the workspace %s (there are %s)", name, w.Root, strings.Join(all, ", "))
}

// module returns the path of the module that cargo makes of a package: of its library of the type cdylib, or else of its
// only program or the one of its name.
func (w *workspace) module(name string) (string, error) {
	p, err := w.find(name)
	if err != nil {
		return "", err
	}
	var programs []string
	for _, t := range p.Targets {
		if slices.Contains(t.Kinds, "cdylib") {
			return filepath.Join(w.Target, rustTarget, "release", strings.ReplaceAll(t.Name, "-", "_")+".wasm"), nil
		}
		if slices.Contains(t.Kinds, "bin") {
			programs = append(programs, t.Name)
		}
	}
	switch {
	case slices.Contains(programs, name):
	case len(programs) == 1:
		name = programs[0]
	default:
		return "", fmt.Errorf(`rust: the package %s makes no module: set crate-type = ["cdylib"] under [lib] in its Cargo.toml`, name)
	}
	return filepath.Join(w.Target, rustTarget, "release", name+".wasm"), nil
}

// rustSources returns what the recipe reads: the folder of the package, those of packages that it needs by path, and the
// manifest and versions of the workspace.
func (r *runner) rustSources(ctx context.Context, recipe *project.Rust) ([]string, error) {
	cargo, err := cargoPath()
	if err != nil {
		return nil, err
	}
	w, err := r.cargoMetadata(ctx, cargo)
	if err != nil {
		return nil, err
	}
	p, err := w.find(recipe.Package)
	if err != nil {
		return nil, err
	}
	folders := []string{filepath.Dir(p.Manifest)}
	for i := 0; i < len(folders); i++ {
		for _, other := range w.neededByPath(folders[i]) {
			if !slices.Contains(folders, other) {
				folders = append(folders, other)
			}
		}
	}
	return r.fromFolder(append(folders, filepath.Join(w.Root, "Cargo.toml"), filepath.Join(w.Root, "Cargo.lock")))
}

// neededByPath returns the folders of the packages that the package in a folder needs by path.
func (w *workspace) neededByPath(folder string) (folders []string) {
	for _, p := range w.Packages {
		if filepath.Dir(p.Manifest) != folder {
			continue
		}
		for _, d := range p.Dependencies {
			if d.Path != "" {
				folders = append(folders, d.Path)
			}
		}
	}
	return folders
}

// fromFolder returns absolute paths as patterns from the folder of the project, as far as they can be written so.
func (r *runner) fromFolder(paths []string) ([]string, error) {
	here, err := filepath.Abs(r.folder)
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return nil, err
	}
	patterns := make([]string, len(paths))
	for i, path := range paths {
		if relative, err := filepath.Rel(here, path); err == nil {
			path = relative
		}
		patterns[i] = filepath.ToSlash(path)
	}
	return patterns, nil
}
