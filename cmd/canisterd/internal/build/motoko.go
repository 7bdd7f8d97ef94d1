package build

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/project"
)

// mopsFile is the file of the package manager of Motoko.
const mopsFile = "mops.toml"

// metadata are the sections of a module that anyone may read: its interface and the types of its arguments.
var metadata = []string{"candid:service", "candid:args"}

// compileWithNPM calls the compiler of the npm package motoko, which is a program in JavaScript.
//
//go:embed motoko.mjs
var compileWithNPM string

// motokoSources returns what the recipe reads: the folder of the actor, and the list of packages.
func motokoSources(recipe *project.Motoko) []string {
	return []string{path.Dir(filepath.ToSlash(recipe.Main)), mopsFile}
}

// motoko makes a module from Motoko.
func (r *runner) motoko(ctx context.Context, recipe *project.Motoko, wasm string) error {
	packages, err := r.motokoPackages(ctx)
	if err != nil {
		return err
	}
	if err := r.makeFolderOf(wasm); err != nil {
		return err
	}
	if moc, err := exec.LookPath("moc"); err == nil {
		args := []string{"-c", "--idl", "--map", "-o", wasm}
		for _, section := range metadata {
			args = append(args, "--public-metadata", section)
		}
		for _, p := range packages {
			args = append(args, "--package", p.Name, p.Folder)
		}
		return r.run(exec.CommandContext(ctx, moc, slices.Concat(args, recipe.Args, []string{recipe.Main})...), "moc")
	}
	if r.installed("motoko") == "" {
		return fmt.Errorf("motoko: %w", missing("a compiler (moc, or the npm package motoko)", "npm install --save-dev motoko"))
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return fmt.Errorf("motoko: the npm package motoko needs node: %w", missing("node", "the package nodejs of your system, or from https://nodejs.org"))
	}
	job, err := json.Marshal(npmJob{Main: recipe.Main, Wasm: wasm, Args: recipe.Args, Packages: packages, Metadata: metadata})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, node, "--input-type=module", "-")
	cmd.Stdin = strings.NewReader("const job = " + string(job) + ";\n" + compileWithNPM)
	return r.run(cmd, "the npm package motoko")
}

// npmJob is what the program for the npm package compiles.
type npmJob struct {
	Main     string          `json:"main"`
	Wasm     string          `json:"wasm"`
	Args     []string        `json:"args"`
	Packages []motokoPackage `json:"packages"`
	Metadata []string        `json:"metadata"`
}

// motokoPackage is a package that sources import by its name.
type motokoPackage struct {
	Name   string `json:"name"`
	Folder string `json:"folder"` // from the folder of the project
}

// motokoPackages returns the packages of mops.toml; without the file there are none.
func (r *runner) motokoPackages(ctx context.Context) ([]motokoPackage, error) {
	if _, err := os.Stat(filepath.Join(r.folder, mopsFile)); err != nil {
		return nil, nil //nolint:nilerr // there is no such file
	}
	mops, err := exec.LookPath("mops")
	if err != nil {
		if mops = r.installed(".bin", "mops"); mops == "" {
			return nil, fmt.Errorf("motoko: %s names packages: %w", mopsFile, missing("mops", "npm install --save-dev ic-mops"))
		}
	}
	text, err := r.read(exec.CommandContext(ctx, mops, "sources"), "mops sources")
	if err != nil {
		return nil, err
	}
	return parsePackages(text), nil
}

// parsePackages reads what mops sources prints: lines of arguments for moc. A folder may have spaces in its name.
func parsePackages(text string) (packages []motokoPackage) {
	for line := range strings.Lines(text) {
		if rest, is := strings.CutPrefix(strings.TrimSpace(line), "--package "); is {
			name, folder, _ := strings.Cut(rest, " ")
			packages = append(packages, motokoPackage{name, strings.TrimSpace(folder)})
		}
	}
	return packages
}
