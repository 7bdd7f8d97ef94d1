package template

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed all:motoko all:rust all:go
var files embed.FS

// Project is a project to begin with.
type Project struct {
	Language string
	Next     []string // the commands to run in its directory
	files    []file
}

// file is a file of a project. Some have another name here: a go.mod would take its directory out of this module, and git
// would follow a .gitignore.
type file struct{ from, to string }

// versionMark stands for the version of canisterd in the files for continuous integration.
const versionMark = "VERSION"

const workflow = ".github/workflows/test.yml"

// same are files of the same name here.
func same(folder string, names ...string) (all []file) {
	for _, name := range names {
		all = append(all, file{folder + "/" + name, name})
	}
	return append(all, file{folder + "/test.yml", workflow})
}

// All are the projects, by the names of languages.
var All = []*Project{
	{
		Language: "motoko", Next: []string{"npm install", "npm test", "npm run dev"},
		files: append(same("motoko", "canisterd.yaml", "package.json", "src/bank/main.mo", "src/vault/main.mo", "test/bank.test.mjs"), file{"motoko/gitignore", ".gitignore"}),
	},
	{
		Language: "rust", Next: []string{"rustup target add wasm32-unknown-unknown", "canisterd exec --deploy . -- cargo test", "canisterd dev"},
		files: append(same("rust", "canisterd.yaml", "Cargo.toml", "rust-toolchain.toml", "bank/Cargo.toml", "bank/bank.did", "bank/src/lib.rs", "bank/tests/bank.rs", "vault/Cargo.toml", "vault/vault.did", "vault/src/lib.rs"),
			file{"rust/gitignore", ".gitignore"}),
	},
	{
		Language: "go", Next: []string{"go mod tidy", "go test ./..."},
		files: append(same("go", "canisterd.yaml", "bank_test.go", "modules/bank.wasm.gz", "modules/vault.wasm.gz"), file{"go/go.mod.txt", "go.mod"}),
	},
}

// Languages returns the names of the projects.
func Languages() (names []string) {
	for _, p := range All {
		names = append(names, p.Language)
	}
	return names
}

// Named returns the project in a language, nil if there is none.
func Named(language string) *Project {
	for _, p := range All {
		if p.Language == language {
			return p
		}
	}
	return nil
}

// Write writes the project into a directory, which it creates, for a version of canisterd. It writes nothing if one of the
// files exists, unless it is one to which the project adds what is missing. It returns the paths in the directory.
func (p *Project) Write(folder, version string) ([]string, error) {
	var names, taken []string
	contents := map[string][]byte{}
	for _, f := range p.files {
		names = append(names, f.to)
		content, err := f.content(version)
		if err != nil {
			return nil, err
		}
		existing, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(f.to)))
		complete := completed[f.to]
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || complete == nil:
			taken = append(taken, f.to)
		default:
			if content, err = complete(existing, content); err != nil {
				return nil, err
			}
		}
		contents[f.to] = content
	}
	slices.Sort(names)
	if len(taken) > 0 {
		return nil, &ExistsError{taken}
	}
	for _, name := range names {
		if err := write(filepath.Join(folder, filepath.FromSlash(name)), contents[name], completed[name] != nil); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// ExistsError says that a directory has files of the project.
type ExistsError struct{ Files []string }

// Error names the files, by their paths in the directory.
func (e *ExistsError) Error() string { return strings.Join(e.Files, ", ") + " exist" }

func (f file) content(version string) ([]byte, error) {
	content, err := files.ReadFile(f.from)
	if err == nil && f.to == workflow {
		content = bytes.ReplaceAll(content, []byte(versionMark), []byte(version))
	}
	return content, err
}

// write writes a file, and creates its directory. Only a file that was read before is replaced.
func write(path string, content []byte, replace bool) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	how := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if replace {
		how = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	to, err := os.OpenFile(path, how, 0o644)
	if err != nil {
		return err
	}
	_, err = to.Write(content)
	return errors.Join(err, to.Close())
}
