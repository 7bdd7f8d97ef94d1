package did

import (
	"errors"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// File is a checked interface description.
type File struct {
	defs    []definition
	types   map[string]*candid.Type
	main    *mainService
	bases   []*mainService // services imported by "import service"
	service *candid.Type
	init    []Arg
	hasInit bool
}

// Arg is an argument or result; Name is documentation and may be "".
type Arg struct {
	Name string
	Type *candid.Type
}

// Method is a method of the service.
type Method struct {
	Name       string
	Args       []Arg
	Results    []Arg
	Annotation candid.Annotation
}

// definition is one type definition as written.
type definition struct {
	name string
	expr *syntax.Type
	pos  int
	in   *source
}

// mainService is the service declaration as written.
type mainService struct {
	name    string
	init    []syntax.Arg
	hasInit bool
	initIn  *source // the source of init
	expr    *syntax.Type
	in      *source
}

// source is one text and its name in errors.
type source struct {
	name   string
	parser *syntax.Parser
}

// Loader returns the text of an imported file. The path is the import's, joined to the folder of the importing
// file; it may lead anywhere: the loader decides what may be read.
type Loader func(path string) (text string, err error)

// Parse reads a file that imports nothing.
func Parse(text string) (*File, error) {
	return ParseWith(text, noImports)
}

func noImports(string) (string, error) {
	return "", errors.New("imports are not followed here: put the definitions into one file")
}

// ParseWith reads a file and its imports. "import service" adds the methods of the imported service to the main one.
func ParseWith(text string, load Loader) (*File, error) {
	b := newBuilder()
	b.load = load
	main, err := b.source("", text)
	if err != nil {
		return nil, err
	}
	b.file.main = main
	if err := b.resolve(); err != nil {
		return nil, err
	}
	return b.file, nil
}

// Type returns the type with this name.
func (f *File) Type(name string) (*candid.Type, bool) {
	t, ok := f.types[name]
	return t, ok
}

// Names returns the names of the type definitions, in the order of the file.
func (f *File) Names() []string {
	names := make([]string, len(f.defs))
	for i, d := range f.defs {
		names[i] = d.name
	}
	return names
}

// Service returns the type of the service, nil if the file declares none.
func (f *File) Service() *candid.Type { return f.service }

// Init returns the arguments of the service's installation, and false if it is not a service constructor.
func (f *File) Init() ([]Arg, bool) { return f.init, f.hasInit }

// Methods returns the methods of the service, by name.
func (f *File) Methods() []Method {
	if f.service == nil {
		return nil
	}
	methods := make([]Method, 0, len(f.service.Methods()))
	for _, m := range f.service.Methods() {
		methods = append(methods, methodOf(m))
	}
	return methods
}

// Method returns the method of the service with this name.
func (f *File) Method(name string) (Method, bool) {
	if f.service == nil {
		return Method{}, false
	}
	for _, m := range f.service.Methods() {
		if m.Name == name {
			return methodOf(m), true
		}
	}
	return Method{}, false
}

func methodOf(m candid.Method) Method {
	s := m.Type.Signature()
	return Method{
		Name: m.Name, Annotation: s.Annotation,
		Args: argsOf(s.Args, s.ArgNames), Results: argsOf(s.Results, s.ResultNames),
	}
}

func argsOf(types []*candid.Type, names []string) []Arg {
	args := make([]Arg, len(types))
	for i, t := range types {
		args[i].Type = t
		if i < len(names) {
			args[i].Name = names[i]
		}
	}
	return args
}

// FormatTypes formats the types of an argument list, with their names: (principal, n : nat).
func FormatTypes(args []Arg) string {
	texts := make([]string, len(args))
	for i, a := range args {
		if texts[i] = a.Type.String(); a.Name != "" {
			texts[i] = syntax.Name(a.Name) + " : " + texts[i]
		}
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// Types returns the types of an argument list.
func Types(args []Arg) []*candid.Type {
	types := make([]*candid.Type, len(args))
	for i, a := range args {
		types[i] = a.Type
	}
	return types
}

// EncodeArgs encodes a textual argument list, "(1, \"x\")", as the message that the method takes.
func (m Method) EncodeArgs(text string) ([]byte, error) { return encode(text, m.Args) }

// EncodeResults encodes a textual result list as the message that the method answers.
func (m Method) EncodeResults(text string) ([]byte, error) { return encode(text, m.Results) }

// DecodeArgs decodes a message as the method's arguments, with named labels.
func (m Method) DecodeArgs(message []byte) ([]candid.Value, error) {
	return candid.DecodeTypes(message, Types(m.Args))
}

// DecodeResults decodes a message as the method's results, with named labels.
func (m Method) DecodeResults(message []byte) ([]candid.Value, error) {
	return candid.DecodeTypes(message, Types(m.Results))
}

// EncodeInit encodes a textual argument list as the message with which the service is installed.
func (f *File) EncodeInit(text string) ([]byte, error) { return encode(text, f.init) }

func encode(text string, args []Arg) ([]byte, error) {
	values, err := candid.ParseArgsAt(text, Types(args))
	if err != nil {
		return nil, err
	}
	return candid.Encode(values, Types(args))
}
