package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/knownmodules"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/systemcanisters"
)

// partOfProgram says of a module that it is part of this program.
const partOfProgram = "part of canisterd"

// moduleAtHand returns the bytes of a module that are on this computer, and where they are; nil for none. They are part of
// the program, were added by canisterd modules update, or are in the directory of published modules.
func moduleAtHand(hash knownmodules.Hash) (module []byte, where string, err error) {
	if module, err = systemcanisters.ModuleOf(hash); module != nil || err != nil {
		return module, partOfProgram, err
	}
	added := knownmodules.File(daemon.KnownModulesFile())
	if module, err = added.Module(hash); module != nil || err != nil {
		return module, added.ModulePath(hash), err
	}
	if folder := os.Getenv(systemcanisters.FolderVariable); folder != "" {
		return systemcanisters.PublishedModule(folder, hash)
	}
	return nil, "", nil
}

// knownModule returns what is known of a module, with its bytes if they are at hand, also as the module of a canister of the
// project; nil for nothing.
func (x *cloning) knownModule(hash []byte) (*clone.KnownModule, error) {
	if len(hash) != sha256.Size {
		return nil, fmt.Errorf("the source gives a hash of %d bytes for a module, and SHA-256 has %d", len(hash), sha256.Size)
	}
	digest := knownmodules.Hash(hash)
	module, where, err := moduleAtHand(digest)
	if err == nil && module == nil {
		module, where, err = x.moduleOfProject(digest)
	}
	if err != nil {
		return nil, err
	}
	about := knownmodules.NewIndex(knownmodules.File(daemon.KnownModulesFile())).Find(hash)
	switch {
	case about != nil:
		return &clone.KnownModule{Name: about.String(), Init: about.Init, Module: module}, nil
	case module != nil:
		return &clone.KnownModule{Name: "module " + where, Module: module}, nil
	}
	return nil, nil
}

// moduleOfProject returns the module of a canister of the project that has a SHA-256, and says of which.
func (x *cloning) moduleOfProject(hash knownmodules.Hash) (module []byte, where string, err error) {
	if !project.Has(x.folder) {
		return nil, "", nil
	}
	p, err := x.readProject(x.folder)
	if err != nil {
		return nil, "", err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Canisters)) {
		if p.Canisters[name].Wasm == "" {
			continue
		}
		module, err := p.Module(name)
		if err == nil && sha256.Sum256(module) == hash { // a module that is not built yet is none that the source runs
			return module, "of " + name + " in " + project.File, nil
		}
	}
	return nil, "", nil
}
