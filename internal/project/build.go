package project

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Motoko is the recipe for a canister in Motoko.
type Motoko struct {
	Main string   `yaml:"main" doc:"The file with the actor." example:"src/bank/main.mo"`
	Args []string `yaml:"args" doc:"More arguments of the compiler." example:"[--enhanced-orthogonal-persistence]"`
}

// Rust is the recipe for a canister in Rust.
type Rust struct {
	Package string `yaml:"package" doc:"The package of Cargo, which has a library of the type cdylib or a program of its name." example:"bank"`
}

// outputs is the directory in which recipes put modules, from the directory of the project.
const outputs = ".canisterd/build"

// Built reports whether a build makes the module of the canister.
func (s *Canister) Built() bool { return s.Build != "" || s.Motoko != nil || s.Rust != nil }

// Recipe returns how the module of the canister is built, as one text: two canisters with the same text are built alike.
// It is "" if the module is not built.
func (s *Canister) Recipe() string {
	switch {
	case s.Motoko != nil:
		return fmt.Sprintf("motoko %q %q to %q", s.Motoko.Main, s.Motoko.Args, s.Wasm)
	case s.Rust != nil:
		return fmt.Sprintf("rust %q to %q", s.Rust.Package, s.Wasm)
	}
	return s.Build
}

// completeBuild sets the default output of a recipe.
func (s *Canister) completeBuild(name string) {
	if s.Wasm == "" && (s.Motoko != nil || s.Rust != nil) {
		s.Wasm = outputs + "/" + name + ".wasm"
	}
}

// checkBuild checks the keys about builds of a canister.
func (s *Canister) checkBuild() error {
	var given []string
	for key, is := range map[string]bool{"build": s.Build != "", "motoko": s.Motoko != nil, "rust": s.Rust != nil} {
		if is {
			given = append(given, key)
		}
	}
	slices.Sort(given)
	switch {
	case len(given) > 1:
		return fmt.Errorf("only one of %s can be given", strings.Join(given, " and "))
	case s.Wasm == "" && s.Build != "":
		return errors.New("wasm is missing: set it to the module that build makes")
	case s.Wasm == "":
		return errors.New("wasm is missing: set it to the module file, or build the module with build:, motoko: or rust:")
	case len(s.Sources) > 0 && len(given) == 0:
		return errors.New("sources: the module is not built: add build:, motoko: or rust:, or remove sources")
	case s.Motoko != nil && s.Motoko.Main == "":
		return errors.New("motoko: main is missing: set it to the file with the actor")
	case s.Rust != nil && s.Rust.Package == "":
		return errors.New("rust: package is missing: set it to the name of a package of Cargo")
	case s.Build == "" && len(given) > 0 && !filepath.IsLocal(filepath.FromSlash(s.Wasm)):
		return fmt.Errorf("wasm: %s is outside the directory of the project, in which recipes write", s.Wasm)
	}
	for _, pattern := range s.Sources {
		if _, err := filepath.Match(pattern, ""); err != nil {
			return fmt.Errorf("sources: invalid pattern %q: a [ without its ]", pattern)
		}
	}
	return nil
}
