package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/internal/control/request"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/regular"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

const (
	// fromStandardInput stands for arguments that are read from standard input.
	fromStandardInput = "-"
	// maxInputBytes is the maximum size of arguments on standard input, as that of their file. Ours.
	maxInputBytes = project.MaxArgumentFile
)

// argumentFlags are the ways to give the argument of a call or an installation, beside a word of the command.
type argumentFlags struct {
	hex, file, form string
	candid          string // path of an interface
	word            string // the word of the command in errors, or the flag in its place
}

// add adds the flags, without the format.
func (f *argumentFlags) add(cmd *cobra.Command, word string) {
	f.word = word
	flags := cmd.Flags()
	flags.StringVar(&f.file, "argument-file", "", "read the arguments from a file: JSON if its name ends in .json, bytes if it ends in .bin, else Candid text")
	flags.StringVar(&f.hex, "hex", "", "arguments as bytes in hex, instead of "+word)
	flags.StringVar(&f.candid, "candid", "", "interface (.did file) to use instead of the canister's own")
}

// argument returns the arguments in words of a command, or else those of the flags, with names replaced by ids.
func (f *argumentFlags) argument(c *cli, words []string) (project.Argument, error) {
	if err := f.oneWay(words); err != nil {
		return project.Argument{}, err
	}
	if f.file != "" {
		argument, err := project.ReadArgument(f.file)
		if err != nil {
			return argument, err
		}
		argument.Text, err = c.withIDs(argument.Text)
		return argument, err
	}
	if f.hex != "" {
		return project.FromHex(f.hex)
	}
	text := first(words)
	if text == fromStandardInput {
		var err error
		if text, err = readInput(os.Stdin); err != nil {
			return project.Argument{}, err
		}
	}
	return f.parse(c, text)
}

// oneWay refuses arguments that are given in several ways.
func (f *argumentFlags) oneWay(words []string) error {
	given := 0
	for _, text := range []string{first(words), f.file, f.hex} {
		if text != "" {
			given++
		}
	}
	if given > 1 {
		return fmt.Errorf("use only one of %s, --argument-file and --hex", f.word)
	}
	return nil
}

// readInput reads arguments from standard input.
func readInput(from io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxInputBytes+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the arguments from standard input: %w", err)
	case len(text) > maxInputBytes:
		return "", fmt.Errorf("the arguments on standard input have more than %s", size(maxInputBytes))
	}
	return strings.TrimSpace(string(text)), nil
}

// parse reads arguments in the format of the flag.
func (f *argumentFlags) parse(c *cli, text string) (project.Argument, error) {
	if text == "" && f.form != "text" { // no arguments, and the reply in that format
		_, err := f.replyForm()
		return project.FromText(""), err
	}
	switch f.form {
	case "text", "json":
		text, err := c.withIDs(text)
		if f.form == "json" {
			return project.Argument{Form: project.JSON, Text: text}, err
		}
		return project.FromText(text), err
	case "hex":
		return project.FromHex(text)
	}
	_, err := f.replyForm()
	return project.Argument{}, err
}

// replyForm returns the requested form of replies.
func (f *argumentFlags) replyForm() (controlv1.Form, error) {
	switch f.form {
	case "text":
		return controlv1.Form_FORM_TEXT, nil
	case "json":
		return controlv1.Form_FORM_JSON, nil
	case "hex":
		return controlv1.Form_FORM_BYTES, nil
	}
	return 0, fmt.Errorf("invalid --form %q: expected text, json or hex", f.form)
}

// method returns a method of the interface of --candid or of the project, nil without one: the interface in the module
// counts.
func (f *argumentFlags) method(c *cli, canister, name string) (*did.Method, error) {
	path := c.interfacePath(canister, f.candid)
	if path == "" {
		return nil, nil
	}
	file, err := readInterface(path)
	if err != nil {
		return nil, err
	}
	method, found := file.Method(name)
	if !found {
		return nil, fmt.Errorf("%s has no method %q (it has %s)", path, name, strings.Join(methodNames(file), ", "))
	}
	return &method, nil
}

func methodNames(file *did.File) (names []string) {
	for _, m := range file.Methods() {
		names = append(names, m.Name)
	}
	return names
}

// ofMethod converts the argument of a call for the control API: in bytes, if the types are those of --candid.
func ofMethod(a project.Argument, method *did.Method) (*controlv1.Value, error) {
	if method == nil || a.Form == project.Hex {
		return valueOf(a), nil
	}
	encode := method.EncodeArgs
	if a.Form == project.JSON {
		encode = func(text string) ([]byte, error) { return method.ArgsFromJSON([]byte(text)) }
	}
	raw, err := encode(a.Text)
	if err != nil {
		return nil, fmt.Errorf("invalid argument for %s: %w; expected %s", method.Name, err, did.FormatTypes(method.Args))
	}
	return bytesValue(raw), nil
}

// ofInstallation converts the argument of an installation in the same way.
func (f *argumentFlags) ofInstallation(c *cli, canister string, a project.Argument) (*controlv1.Value, error) {
	path := c.interfacePath(canister, f.candid)
	if path == "" {
		return valueOf(a), nil
	}
	file, err := readInterface(path)
	if err != nil {
		return nil, err
	}
	raw, err := a.EncodeInit(file)
	if err != nil {
		return nil, fmt.Errorf("invalid argument for the installation: %w", err)
	}
	return bytesValue(raw), nil
}

func bytesValue(raw []byte) *controlv1.Value {
	return &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: raw}}
}

// valueOf converts an argument for the control API.
func valueOf(a project.Argument) *controlv1.Value { return request.Value(a) }

// readInterface reads an interface and the files that it imports.
func readInterface(path string) (*did.File, error) {
	file, err := project.ReadInterface(path, regular.Read)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the interface: %w", err)
	case file.Service() == nil:
		return nil, fmt.Errorf("%s: %w", path, errNoService)
	}
	return file, nil
}

// errNoService is the error for an interface without methods.
var errNoService = errors.New("it describes no service: add service : { … }")

// withTypes writes a reply in bytes with the types of a method of --candid. A reply of other types stays bytes.
func (c *cli) withTypes(reply *controlv1.Value, method *did.Method, form controlv1.Form) *controlv1.Value {
	if method == nil || form == controlv1.Form_FORM_BYTES {
		return reply
	}
	var written *controlv1.Value
	values, err := method.DecodeResults(reply.GetBytes())
	switch {
	case err != nil:
	case form == controlv1.Form_FORM_JSON:
		var text []byte
		text, err = method.ResultsToJSON(reply.GetBytes())
		written = &controlv1.Value{Form: &controlv1.Value_Json{Json: string(text)}}
	default:
		written = &controlv1.Value{Form: &controlv1.Value_Text{Text: candid.FormatArgs(values)}}
	}
	if err != nil {
		c.note("note: the reply is not of the types %s, and is shown as bytes in hex: %v", did.FormatTypes(method.Results), err)
		return reply
	}
	return written
}
