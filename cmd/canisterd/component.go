package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/internal/component/wit"
	"github.com/canisterd/canisterd/internal/regular"
	"github.com/canisterd/canisterd/internal/textwidth"
)

func (c *cli) componentGroup() *cobra.Command {
	all := group("component", "Run components of the Component Model, and link them into modules")
	all.Long = `Run components of the Component Model without a daemon or a network, or link them into
modules. canisterd canister install and deploy take components with the feature components.`
	all.AddCommand(c.componentLink(), c.componentRun(), c.componentWIT())
	return all
}

// readComponent reads the component in a file, plain or packed by gzip.
func readComponent(file string) ([]byte, error) {
	binary, err := regular.Read(file, component.MaxBytes)
	if err != nil || !bytes.HasPrefix(binary, []byte{0x1f, 0x8b}) {
		return binary, err
	}
	r, err := gzip.NewReader(bytes.NewReader(binary))
	if err == nil {
		binary, err = io.ReadAll(io.LimitReader(r, component.MaxBytes+1))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is a damaged gzip file: %w", file, err)
	case len(binary) > component.MaxBytes:
		return nil, fmt.Errorf("%s has more than %d bytes when it is unpacked: a component has at most so many", file, component.MaxBytes)
	}
	return binary, nil
}

// compiledComponent compiles the component in a file.
func compiledComponent(ctx context.Context, file string) (*component.Component, error) {
	binary, err := readComponent(file)
	if err != nil {
		return nil, err
	}
	compiled, err := component.Compile(ctx, binary)
	return compiled, invalidComponent(file, binary, err)
}

// invalidComponent adds to an error the file, and what to do if it is not a component.
func invalidComponent(file string, binary []byte, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w%s", file, err, componentAdvice(binary))
}

// componentAdvice says what to do with a file that is not a component.
func componentAdvice(binary []byte) string {
	if isCoreModule(binary) {
		return " (wasm-tools component new makes a component of a core module)"
	}
	return ""
}

func isCoreModule(binary []byte) bool {
	return bytes.HasPrefix(binary, []byte("\x00asm\x01\x00\x00\x00"))
}

// exportedFunction is a function that a component exports.
type exportedFunction struct {
	name string // of an instance: INSTANCE#FUNCTION
	typ  *component.FuncType
}

// exportedFunctions gives the functions that can be called without a resource.
func exportedFunctions(c *component.Component) (all []exportedFunction) {
	for _, e := range c.Exports() {
		if e.Func != nil {
			all = append(all, exportedFunction{e.Name, e.Func})
		}
		for _, inner := range e.Instance {
			if inner.Func != nil && !strings.HasPrefix(inner.Name, "[") {
				all = append(all, exportedFunction{e.Name + "#" + inner.Name, inner.Func})
			}
		}
	}
	return all
}

// functionNamed gives the exported function of a name: whole, or without the parts that are not needed to tell it from others:
// shop#close or close for example:orders/shop@1.0.0#close.
func functionNamed(c *component.Component, name string) (f exportedFunction, err error) {
	all := exportedFunctions(c)
	var found, names []string
	for _, of := range all {
		names = append(names, of.name)
		if of.name == name {
			return of, nil
		}
		if isShortName(name, of.name) {
			f = of
			found = append(found, of.name)
		}
	}
	switch {
	case len(found) == 1:
		return f, nil
	case len(found) > 1:
		return f, fmt.Errorf("several functions are called %s: %s", textwidth.Fit(name, maxShownName), shownNames(found))
	case len(all) == 0:
		return f, fmt.Errorf("the component exports no function %s, and no other one", textwidth.Fit(name, maxShownName))
	}
	return f, fmt.Errorf("the component exports no function %s: it exports %s", textwidth.Fit(name, maxShownName), shownNames(names))
}

// Limits of names of a component in an error: their number, and their length in cells of a terminal.
const (
	maxShownNames = 20
	maxShownName  = 100
)

// shownNames lists names of a component, of which there may be any number.
func shownNames(names []string) string {
	shown := make([]string, min(len(names), maxShownNames))
	for i := range shown {
		shown[i] = textwidth.Fit(names[i], maxShownName)
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more (canisterd component wit lists them)", more)
	}
	return text
}

func isShortName(short, name string) bool {
	instance, function, ok := strings.Cut(name, "#")
	if !ok {
		return false
	}
	withoutVersion, _, _ := strings.Cut(instance, "@")
	return slices.Contains([]string{function, path.Base(withoutVersion) + "#" + function, withoutVersion + "#" + function}, short)
}

func (c *cli) componentWIT() *cobra.Command {
	return &cobra.Command{
		Use:   "wit FILE",
		Short: "Print the imports and exports of a component as WIT",
		Example: `  canisterd component wit greeter.wasm
  canisterd component wit greeter.wasm --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			binary, err := readComponent(args[0])
			if err != nil {
				return err
			}
			imports, exports, err := component.Describe(binary)
			if err != nil {
				return invalidComponent(args[0], binary, err)
			}
			text := wit.Print(imports, exports)
			return c.print(strings.TrimSuffix(text, "\n"), map[string]any{"wit": text})
		},
	}
}
