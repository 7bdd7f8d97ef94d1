package knownmodules

import (
	"bytes"
	"cmp"
	_ "embed" // the list of the program
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Format is the version of the format of lists.
const Format = 1

// Hash is the SHA-256 of a module as it is installed.
type Hash [32]byte

// String returns the hash in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the hash in hexadecimal digits.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads 64 hexadecimal digits.
func (h *Hash) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != len(h) {
		return fmt.Errorf("invalid hash %.80q: expected SHA-256 as %d hexadecimal digits", text, 2*len(h))
	}
	*h = Hash(raw)
	return nil
}

// Module is a module that is known.
type Module struct {
	Hash      Hash   `json:"sha256"`
	Name      string `json:"name"`                // "ICP ledger"
	Version   string `json:"version,omitempty"`   // of the publisher; "" if the hash alone identifies it
	Interface string `json:"interface,omitempty"` // standards, or methods, that it serves
	Source    string `json:"source"`              // where the module is from, so that it can be had again
	Init      string `json:"init,omitempty"`      // default argument of the installation, as Candid text; "" for none
	File      string `json:"file,omitempty"`      // file or URL of the module, beside the list that has it
}

// String names the module: "Candid UI of icp-cli 1.5.0 (npm: @icp-sdk/icp-cli-linux-x64 1.5.0)".
func (m *Module) String() string {
	return strings.TrimSuffix(m.Name+" "+m.Version, " ") + " (" + m.Source + ")"
}

// List is a list of modules, ordered by name and version.
type List struct {
	Format  int      `json:"version"`
	Modules []Module `json:"modules"`
}

//go:embed modules.json
var builtIn []byte

// BuiltIn returns the modules that are part of the program.
var BuiltIn = sync.OnceValue(func() *List {
	list, err := Parse(builtIn)
	if err != nil {
		panic(fmt.Sprintf("knownmodules: the list of the program: %v", err)) // a test reads it
	}
	return list
})

// Parse reads a list, and checks its limits.
func Parse(text []byte) (*List, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("the list of modules has %d bytes, and at most %d are read", len(text), MaxBytes)
	}
	var head struct {
		Format int `json:"version"` // decides about everything else
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("invalid list of modules: %w", err)
	}
	switch {
	case head.Format > Format:
		return nil, fmt.Errorf("the list of modules has version %d of the format, and this canisterd reads versions up to %d: update canisterd", head.Format, Format)
	case head.Format < 1:
		return nil, fmt.Errorf("invalid list of modules: expected {\"version\": %d, \"modules\": […]}", Format)
	}
	var l List
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&l); err != nil {
		return nil, fmt.Errorf("invalid list of modules: %w", err)
	}
	return &l, l.check()
}

// check checks the modules and orders them.
func (l *List) check() error {
	if len(l.Modules) > MaxModules {
		return fmt.Errorf("the list has %d modules, and at most %d are kept", len(l.Modules), MaxModules)
	}
	seen := make(map[Hash]bool, len(l.Modules))
	for i := range l.Modules {
		m := &l.Modules[i]
		if err := m.check(); err != nil {
			return fmt.Errorf("module %d of the list (%s): %w", i+1, m.Hash, err)
		}
		if seen[m.Hash] {
			return fmt.Errorf("module %d of the list: %s is listed twice", i+1, m.Hash)
		}
		seen[m.Hash] = true
	}
	l.sort()
	return nil
}

// check checks the texts about a module. They are printed on terminals.
func (m *Module) check() error {
	if m.Hash == (Hash{}) || m.Name == "" || m.Source == "" {
		return errors.New("expected sha256, name and source")
	}
	for _, text := range []string{m.Name, m.Version, m.Interface, m.Source, m.File} {
		if err := checkText(text, MaxTextBytes); err != nil {
			return err
		}
	}
	return checkText(m.Init, MaxInitBytes)
}

func checkText(text string, most int) error {
	if len(text) > most {
		return fmt.Errorf("a text of %d bytes, and at most %d are kept", len(text), most)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%q has characters that cannot be printed", text)
	}
	return nil
}

func (l *List) sort() {
	slices.SortFunc(l.Modules, func(a, b Module) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version), bytes.Compare(a.Hash[:], b.Hash[:]))
	})
}

// Find returns the module of a hash, nil for none.
func (l *List) Find(hash []byte) *Module {
	for i := range l.Modules {
		if bytes.Equal(l.Modules[i].Hash[:], hash) {
			return &l.Modules[i]
		}
	}
	return nil
}

// Marshal returns the text of the list, a line for each module.
func (l *List) Marshal() ([]byte, error) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "{\"version\": %d, \"modules\": [", Format)
	for i := range l.Modules {
		line, err := json.Marshal(&l.Modules[i])
		if err != nil {
			return nil, fmt.Errorf("writing the list of modules: %w", err)
		}
		text.WriteString([]string{"\n", ",\n"}[min(i, 1)])
		text.Write(line)
	}
	text.WriteString("\n]}\n")
	return text.Bytes(), nil
}
