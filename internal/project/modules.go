package project

import (
	"fmt"
	"path/filepath"
	"strings"
)

// OfModules is a project of modules that a folder has. Each becomes a canister with the name of its file, which is
// installed with its arguments in init, by name.
func OfModules(folder string, reach Reach, files []string, init map[string]string) (*Project, error) {
	p := &Project{folder: folder, reach: reach, Canisters: map[string]*Canister{}}
	for _, file := range files {
		name := filepath.Base(file)
		for _, suffix := range []string{".gz", ".wasm"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if p.Canisters[name] != nil {
			return nil, fmt.Errorf("two modules have the name %s: rename the file of one", name)
		}
		p.Canisters[name] = &Canister{Wasm: file, Init: init[name]}
		if err := p.check(name); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	for name := range init {
		if p.Canisters[name] == nil {
			return nil, fmt.Errorf("init is given for %s, which is none of the modules %s", name, strings.Join(files, ", "))
		}
	}
	return p, nil
}
