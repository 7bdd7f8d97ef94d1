package systemcanisters

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// FolderVariable is the environment variable with the folder of published modules.
const FolderVariable = "CANISTERD_SYSTEM_MODULES"

// published is a module as its publisher gives it away. Users download it into a folder; canisterd has no copy.
type published struct {
	file   string // name under which it is published
	url    string // where
	tested string // SHA-256, in hexadecimal, of a file that was tried; "" if canisterd has a module of its own as well
}

// publishedModules are the published modules that canisterd can install.
var publishedModules = map[Name]published{
	InternetIdentity: {
		"internet_identity_dev.wasm.gz", "https://github.com/dfinity/internet-identity/releases",
		"cc1630d642df788a6150e21a6f2c5ba721077d624d7778463c3326631364cd99",
	},
	ICPToken: {"ledger-canister.wasm.gz", "https://github.com/dfinity/ic/releases", ""},
}

// elsewhere are canisters that PocketIC and icp-cli's launcher install and this package does not, by the names of
// PocketIC's features: the file of the main module, and where it is published.
var elsewhere = map[string]published{
	"nns_governance":     {file: "governance-canister.wasm.gz", url: "https://github.com/dfinity/ic/releases"},
	"sns":                {file: "sns-wasm-canister.wasm.gz", url: "https://github.com/dfinity/ic/releases"},
	"nns_ui":             {file: "nns-dapp.wasm.gz", url: "https://github.com/dfinity/nns-dapp/releases"},
	"bitcoin":            {file: "ic-btc-canister.wasm.gz", url: "https://github.com/dfinity/bitcoin-canister/releases"},
	"dogecoin":           {file: "ic-doge-canister.wasm.gz", url: "https://github.com/dfinity/dogecoin-canister/releases"},
	"canister_migration": {file: "migration-canister.wasm.gz", url: "https://github.com/dfinity/ic/releases"},
}

// Elsewhere says where the module of a canister is published that canisterd does not install; "" for other names.
func Elsewhere(feature string) string {
	p, ok := elsewhere[feature]
	if !ok {
		return ""
	}
	return fmt.Sprintf("its module %s is published at %s", p.file, p.url)
}

// Modules are the modules that are installed: those of a folder of the user, and canisterd's own. The zero value has
// only the latter.
type Modules struct {
	// Folder has published modules, by the names of their files or by their SHA-256; "" for none. Those that are there are
	// installed instead of canisterd's own.
	Folder string
	// Found is told of each module of the folder that is installed, by its file and its SHA-256; nil: no listener.
	Found func(name Name, file string, hash [32]byte)
}

// MissingError says which published module is missing, and where it is published.
type MissingError struct {
	Name              Name
	Folder, File, URL string
	Tested            string // SHA-256 of a version that was tried
}

// Error says what to do.
func (e *MissingError) Error() string {
	where := "into a directory, and name the directory in " + FolderVariable
	if e.Folder != "" {
		where = "into " + e.Folder
	}
	return fmt.Sprintf("canisterd has no module for %s: download %s from %s %s (SHA-256 of a version that was tried, by which the file may be named too: %s)", e.Name, e.File, e.URL, where, e.Tested)
}

// Check reports the first canister whose module is missing (a *MissingError) or cannot be read.
func (m *Modules) Check(names []Name) (Name, error) {
	for _, name := range names {
		quiet := Modules{Folder: m.Folder}
		if _, _, err := quiet.module(name); err != nil {
			return name, err
		}
	}
	return "", nil
}

// module is the module to install for a canister; theirs says that it is the published one.
func (m *Modules) module(name Name) (module []byte, theirs bool, err error) {
	p, ok := publishedModules[name]
	if ok && m.Folder != "" {
		module, file, err := p.find(m.Folder)
		switch {
		case err != nil:
			return nil, false, fmt.Errorf("the module for %s cannot be read: %w", name, err)
		case file != "":
			if m.Found != nil {
				m.Found(name, file, sha256.Sum256(module))
			}
			return module, true, nil
		}
	}
	if name.place().file == "" {
		return nil, false, &MissingError{name, m.Folder, p.file, p.url, p.tested}
	}
	module, err = name.Module()
	return module, false, err
}

// find looks for a module in a folder: by the name of its file, or of the version that was tried by its SHA-256. file is ""
// if neither is there.
func (p *published) find(folder string) (module []byte, file string, err error) {
	names := []string{p.file}
	if p.tested != "" {
		names = append(names, p.tested, p.tested+".wasm.gz")
	}
	for i, name := range names {
		file = filepath.Join(folder, name)
		module, err := os.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, "", err
		}
		if hash := sha256.Sum256(module); i > 0 && hex.EncodeToString(hash[:]) != p.tested {
			return nil, "", fmt.Errorf("%s has another SHA-256, %x", file, hash)
		}
		return module, file, nil
	}
	return nil, "", nil
}

// PublishedModule returns the module of a folder that has a SHA-256, and its file: one with the name under which a module is
// published, or with the hash as its name. module is nil if there is none.
func PublishedModule(folder string, hash [32]byte) (module []byte, file string, err error) {
	digits := hex.EncodeToString(hash[:])
	names := []string{digits, digits + ".wasm", digits + ".wasm.gz"}
	for _, modules := range []iter.Seq[published]{maps.Values(publishedModules), maps.Values(elsewhere)} {
		for p := range modules {
			names = append(names, p.file)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		file = filepath.Join(folder, name)
		module, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, "", err
		}
		if err == nil && sha256.Sum256(module) == hash {
			return module, file, nil
		}
	}
	return nil, "", nil
}

// noArgument is the Candid encoding of null, which a module takes that needs no argument.
var noArgument = []byte("DIDL\x00\x01\x7f")

// publishedArg is the argument with which a published module is installed.
func (n Name) publishedArg() ([]byte, error) {
	if n == ICPToken {
		return publishedLedgerArg()
	}
	return noArgument, nil
}
