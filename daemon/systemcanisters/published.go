package systemcanisters

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// Modules are the modules that are installed: those of a folder of the user, and canisterd's own. The zero value has
// only the latter.
type Modules struct {
	// Folder has published modules, by the names of their files; "" for none. Those that are there are installed instead
	// of canisterd's own.
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
	where := "into a folder, and name the folder in " + FolderVariable
	if e.Folder != "" {
		where = "into " + e.Folder
	}
	return fmt.Sprintf("canisterd has no module for %s: download %s from %s %s (SHA-256 of a version that was tried: %s)", e.Name, e.File, e.URL, where, e.Tested)
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
		file := filepath.Join(m.Folder, p.file)
		module, err := os.ReadFile(file)
		if err == nil {
			if m.Found != nil {
				m.Found(name, file, sha256.Sum256(module))
			}
			return module, true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, false, fmt.Errorf("the module for %s cannot be read: %w", name, err)
		}
	}
	if name.place().file == "" {
		return nil, false, &MissingError{name, m.Folder, p.file, p.url, p.tested}
	}
	module, err = name.Module()
	return module, false, err
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
