package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/component/wasi"
	"github.com/canisterd/canisterd/internal/component/wave"
	"github.com/canisterd/canisterd/internal/quantity"
)

// componentStart is the time at which the clocks of components begin, as those of networks that are paced by hand.
const componentStart = "2021-05-06T19:17:10Z"

// componentFlags are what a component finds around it.
type componentFlags struct {
	environment []string
	seed, start string
	memory      quantity.Bytes
}

func (c *cli) componentRun() *cobra.Command {
	f := componentFlags{memory: component.DefaultMemoryLimit}
	cmd := &cobra.Command{
		Use:   "run FILE [CALL] [-- ARGUMENT...]",
		Short: "Call a function of a component, or run a program",
		Long: `Call a function of a component and print its result, or without CALL run a program: a
component that exports wasi:cli/run. The arguments after -- are its own; its exit code is
that of the command.

CALL is the name of a function and its arguments in parentheses. Values are written as in
wasmtime run --invoke (the Web Assembly Value Encoding): 5, "text", ['a', 'b'], (1, 2),
{x: 1, y: some(2)}, ok(3). The name of an interface may be left out: counter#quote or quote
for example:desk/counter@1.0.0#quote.

A component finds WASI 0.2 and 0.3: standard streams, arguments, environment, clocks and
random numbers, but no files and no network. Runs can be repeated: time begins at
--start-time and passes only while the component waits, and random numbers come from --seed.`,
		Example: `  canisterd component run greeter.wasm 'greet("Ada")'
  canisterd component run desk.wasm 'counter#quote(["tea", "milk"])' --json
  canisterd component run report.wasm --env LANG=de -- --year 2026`,
		Args: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				args = args[:dash]
			}
			return cobra.RangeArgs(1, 2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var own []string
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				args, own = args[:dash], args[dash:]
			}
			endBySignals()
			return c.runComponent(cmd.Context(), &f, args, own)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.environment, "env", nil, "environment variable of the component; repeatable: NAME=VALUE")
	flags.StringVar(&f.seed, "seed", "", "seed for random numbers, up to 32 bytes in hex (default: 00)")
	flags.Var(&f.memory, "memory-limit", "most memory of the component, with all components in it, such as 512MiB")
	flags.StringVar(&f.start, "start-time", componentStart, "time at which the clocks begin")
	return cmd
}

// endBySignals makes the kernel end the process at the next signal. Core code in a loop does not end with a context, and once a
// garbage collection waits for it, no goroutine runs that could receive the signal.
func endBySignals() { signal.Reset(os.Interrupt, syscall.SIGTERM) }

// options gives what the component finds around it.
func (f *componentFlags) options(c *cli, file string, args []string) (o wasi.Options, err error) {
	seed, err := parseSeed(f.seed)
	if err != nil {
		return o, err
	}
	if len(seed) > len(o.Seed) {
		return o, fmt.Errorf("invalid --seed %q: expected at most %d bytes", f.seed, len(o.Seed))
	}
	copy(o.Seed[:], seed)
	if o.Start, err = parseStartTime(f.start); err != nil {
		return o, err
	}
	for _, variable := range f.environment {
		if name, _, ok := strings.Cut(variable, "="); !ok || name == "" {
			return o, fmt.Errorf("invalid --env %q: expected NAME=VALUE", variable)
		}
	}
	o.Args, o.Environment = append([]string{filepath.Base(file)}, args...), f.environment
	o.Stdin, o.Stdout, o.Stderr = os.Stdin, c.out, c.err
	return o, nil
}

// runComponent calls a function, or runs a program.
func (c *cli) runComponent(ctx context.Context, f *componentFlags, args, own []string) error {
	options, err := f.options(c, args[0], own)
	if err != nil {
		return err
	}
	compiled, err := compiledComponent(ctx, args[0])
	if err != nil {
		return err
	}
	defer func() { _ = compiled.Close(context.WithoutCancel(ctx)) }() // its memory is the process's
	program := wasi.Command(compiled)
	if len(args) == 1 && program == "" {
		return fmt.Errorf("%s is not a program, so it needs a call, such as %s", args[0], exampleCall(compiled))
	}
	i, err := wasi.New(options).Instantiate(ctx, compiled, nil, component.WithMemoryLimit(uint64(f.memory)))
	if err != nil {
		return fmt.Errorf("%s: %w%s", args[0], err, instantiateAdvice(compiled, err))
	}
	if len(args) == 1 {
		code, err := wasi.Run(ctx, i, program)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		return exited(code)
	}
	return c.callComponent(ctx, compiled, i, wave.ReadCall(args[1]))
}

// canisterPackage begins the names of the interfaces that only canisters have (docs/components.md).
const canisterPackage = "ic:canister/"

// instantiateAdvice says what to do with a component that cannot be instantiated. One that traps has all that it imports.
func instantiateAdvice(compiled *component.Component, err error) string {
	if _, trapped := errors.AsType[*component.Trap](err); trapped {
		return ""
	}
	if slices.ContainsFunc(compiled.Imports(), func(e component.Extern) bool { return strings.HasPrefix(e.Name, canisterPackage) }) {
		return " (the component is made for a canister: canisterd canister install --feature components, or features: [components] in canisterd.yaml)"
	}
	return " (component run supplies WASI alone; in Go, package component supplies other imports)"
}

// exampleCall gives a call of the first function of a component.
func exampleCall(compiled *component.Component) string {
	for _, f := range exportedFunctions(compiled) {
		return "'" + f.name + "(…)'"
	}
	return "one of a function that it exports; it exports none"
}

// exited gives the exit code of a program as an error.
func exited(code uint8) error {
	if code == 0 {
		return nil
	}
	return exitCode(code)
}

// callComponent calls a function and prints its result.
func (c *cli) callComponent(ctx context.Context, compiled *component.Component, i *component.Instance, call wave.Call) error {
	f, err := functionNamed(compiled, call.Function)
	if err != nil {
		return err
	}
	args, err := call.Arguments(f.typ.Params)
	if err != nil {
		return fmt.Errorf("invalid call: %w (canisterd component wit shows the types)", err)
	}
	result, err := i.Call(ctx, f.name, args...)
	if err == nil {
		err = c.printResult(ctx, f, result)
	}
	if exit, ok := errors.AsType[*wasi.Exit](err); ok {
		return exited(exit.Code)
	}
	if _, written := errors.AsType[*component.Trap](err); written || errors.Is(err, component.ErrBlocked) {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return err
}

// printResult prints the result of a call, for a future its value, and for a stream its elements.
func (c *cli) printResult(ctx context.Context, f exportedFunction, result any) (err error) {
	typ := f.typ.Result
	switch of := result.(type) {
	case *component.Stream:
		return c.printStream(ctx, f, of)
	case *component.Future:
		if result, err = of.Wait(ctx); err != nil {
			return err
		}
		typ = typ.Element()
	}
	text := waveText(result, typ)
	return c.print(text, map[string]any{"function": f.name, "result": text})
}

// waveText writes a value, or nothing as wasmtime does if it has no type.
func waveText(v any, typ component.Type) string {
	if typ == (component.Type{}) {
		return "()"
	}
	return wave.Write(v, typ)
}

// printStream prints what a component writes to a stream when it does: bytes as they are, and other elements each on a line.
func (c *cli) printStream(ctx context.Context, f exportedFunction, s *component.Stream) error {
	typ := f.typ.Result.Element()
	for {
		values, err := s.ReadValues(ctx, maxStreamElements)
		if len(values) > 0 {
			if err := c.printElements(f.name, typ, values); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// maxStreamElements is how many elements of a stream are printed at a time.
const maxStreamElements = 4096

func (c *cli) printElements(function string, typ component.Type, values []any) error {
	if !c.json && typ.Kind() == component.KindU8 {
		p := make([]byte, len(values))
		for i, v := range values {
			p[i] = v.(uint8)
		}
		_, err := c.out.Write(p)
		return err
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = waveText(v, typ)
	}
	return c.print(strings.Join(texts, "\n"), map[string]any{"function": function, "elements": texts})
}
