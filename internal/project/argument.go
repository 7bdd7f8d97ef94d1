package project

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/regular"
)

// Form is how arguments are written.
type Form uint8

// The forms.
const (
	Text Form = iota // Candid text, with parentheses
	JSON             // an array with one element for each argument
	Hex              // Candid bytes, as they are
)

// Argument is the argument of an installation or upgrade as it was written.
type Argument struct {
	Form  Form
	Text  string // where Form is Text or JSON
	Bytes []byte // where Form is Hex
}

// self is the canister itself in its own texts.
const self = "SELF"

// resolve puts principals in the places of names: those of canisters and identities by name, and of the canister itself.
func resolve(text, own string, principals map[string]string) (string, error) {
	return reference.Resolve(text, func(name string) (string, error) {
		if name == self {
			name = own
		}
		if id, known := principals[name]; known {
			return id, nil
		}
		if reference.IsPrincipal(name) {
			return name, nil
		}
		return "", fmt.Errorf("%q is neither a canister of the project nor an identity%s", name, reference.Meant(name, slices.Sorted(maps.Keys(principals))))
	})
}

// ReadArgument reads a file with arguments, which is in the form that the end of its name says.
func ReadArgument(path string) (Argument, error) {
	content, err := regular.Read(path, MaxArgumentFile)
	if err != nil {
		return Argument{}, fmt.Errorf("reading the arguments: %w", err)
	}
	switch formOf(path) {
	case JSON:
		return Argument{Form: JSON, Text: string(content)}, nil
	case Hex:
		return Argument{Form: Hex, Bytes: content}, nil
	}
	return FromText(string(content)), nil
}

// formOf is the form of arguments in a file: JSON where its name ends in .json, bytes where it ends in .bin, else Candid
// text.
func formOf(path string) Form {
	switch filepath.Ext(path) {
	case ".json":
		return JSON
	case ".bin":
		return Hex
	}
	return Text
}

// fileInit puts what is in the file of init_file into the place of the other ways to give arguments.
func (s *Canister) fileInit(content []byte) {
	switch formOf(s.InitFile) {
	case JSON:
		s.InitJSON = JSONText(content)
	case Hex:
		s.InitHex = hex.EncodeToString(content)
	default:
		s.Init = string(content)
	}
}

// Argument is the argument of init, with principals in the places of names.
func (s *Canister) Argument(own string, principals map[string]string) (Argument, error) {
	switch {
	case s.InitJSON != "":
		text, err := resolve(string(s.InitJSON), own, principals)
		return Argument{Form: JSON, Text: text}, err
	case s.InitHex != "":
		return FromHex(s.InitHex)
	case s.Init != "":
		text, err := resolve(s.Init, own, principals)
		return FromText(text), err
	}
	return FromText(""), nil
}

// FromText is an argument in Candid text, of which the outer parentheses may be left out.
func FromText(text string) Argument {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "(") {
		text = "(" + text + ")"
	}
	return Argument{Form: Text, Text: text}
}

// FromHex is an argument in bytes, written in hex.
func FromHex(text string) (Argument, error) {
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return Argument{}, fmt.Errorf("invalid bytes %q: expected hex, such as 4449444c0000", text)
	}
	return Argument{Form: Hex, Bytes: raw}, nil
}

// errUntyped is the error for arguments in JSON where nothing says their types.
var errUntyped = errors.New("the module does not declare the types of its arguments (metadata candid:args, or a constructor in candid:service): use bytes or text")

// Encode is the argument in Candid bytes. Text and JSON are read by the types that a module says for its installation;
// text without such types is read by itself.
func (a Argument) Encode(module []byte) ([]byte, error) {
	if a.Form == Hex {
		return a.Bytes, nil
	}
	file, err := did.FromModule(module, maxModuleBytes)
	switch {
	case errors.Is(err, did.ErrNoInterface) && a.Form == Text:
		return encodeUntyped(a.Text)
	case err != nil:
		return nil, err
	}
	return a.EncodeInit(file)
}

// DefaultInit is the argument of an installation without values: null for each that may be absent. The error names the
// types of arguments that cannot be absent.
func DefaultInit(module []byte) (Argument, error) {
	file, err := did.FromModule(module, maxModuleBytes)
	switch {
	case errors.Is(err, did.ErrNoInterface):
		return FromText(""), nil
	case err != nil:
		return Argument{}, err
	}
	args, _ := file.Init()
	values := make([]string, len(args))
	for i := range args {
		switch args[i].Type.Kind() {
		case candid.KindOpt, candid.KindNull, candid.KindReserved:
			values[i] = "null"
		default:
			return Argument{}, fmt.Errorf("its installation takes %s", did.FormatTypes(args))
		}
	}
	return FromText(strings.Join(values, ", ")), nil
}

// Interface returns the interface that the project gives a canister, nil for that of its module.
func (p *Project) Interface(name string) (*did.File, error) {
	path := p.Canisters[name].Candid
	if path == "" {
		return nil, nil
	}
	file, err := ReadInterface(path, p.read)
	if err != nil {
		return nil, fmt.Errorf("candid: %w", err)
	}
	return file, nil
}

// ReadInterface reads an interface and the files that it imports, each with read, which is given its path and the most
// bytes that it may have.
func ReadInterface(path string, read func(path string, most int64) ([]byte, error)) (*did.File, error) {
	text, err := read(path, candid.MaxTextBytes)
	if err != nil {
		return nil, err
	}
	file, err := did.ParseWith(string(text), func(imported string) (string, error) {
		text, err := read(filepath.Join(filepath.Dir(path), imported), candid.MaxTextBytes)
		return string(text), err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// EncodeInit is the argument of a canister in Candid bytes, read by the types of its interface.
func (p *Project) EncodeInit(name string, a Argument, module []byte) ([]byte, error) {
	file, err := p.Interface(name)
	if err != nil {
		return nil, err
	}
	if file == nil {
		return a.Encode(module)
	}
	return a.EncodeInit(file)
}

// EncodeInit is the argument in Candid bytes, read by the types that an interface says for its installation. Text
// without such types is read by itself.
func (a Argument) EncodeInit(file *did.File) ([]byte, error) {
	args, typed := file.Init()
	switch {
	case a.Form == Hex:
		return a.Bytes, nil
	case !typed && a.Form == JSON:
		return nil, errUntyped
	case !typed:
		return encodeUntyped(a.Text)
	}
	var raw []byte
	var err error
	if a.Form == JSON {
		raw, err = file.InitFromJSON([]byte(a.Text))
	} else {
		raw, err = file.EncodeInit(a.Text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s; expected %s", strings.TrimSpace(err.Error()), did.FormatTypes(args))
	}
	return raw, nil
}

// encodeUntyped writes Candid text at the types that it has by itself.
func encodeUntyped(text string) ([]byte, error) {
	values, err := candid.ParseArgs(text)
	if err != nil {
		return nil, err
	}
	return candid.EncodeValues(values...)
}
