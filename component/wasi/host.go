package wasi

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/canisterd/canisterd/component"
)

// Options are what a program finds around it. The zero value has no arguments, no environment and no input, and drops output.
type Options struct {
	Args           []string // the first one is the name of the program
	Environment    []string // NAME=VALUE
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Log takes the messages of wasi:logging. If it is nil, each is a line of Stderr.
	Log func(level, context, message string)
	// Start is the time at which clocks begin. The zero time is 1970.
	Start time.Time
	// Seed determines all random numbers.
	Seed [32]byte
}

// Host supplies WASI to one instance of a component.
type Host struct {
	options   Options
	clock     clock
	random    *rand.ChaCha8
	inputs    resources[*inputStream]
	outputs   resources[*outputStream]
	pollables resources[pollable]
	errors    resources[string]
	types     map[string]*component.ResourceType // resources of this package, by name
}

// New makes a host.
func New(o Options) *Host {
	if o.Stdin == nil {
		o.Stdin = strings.NewReader("")
	}
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	h := &Host{options: o, random: rand.NewChaCha8(o.Seed)}
	if o.Start.IsZero() {
		h.options.Start = time.Unix(0, 0)
	}
	h.types = map[string]*component.ResourceType{
		"input-stream": h.inputs.resourceType(), "output-stream": h.outputs.resourceType(),
		"pollable": h.pollables.resourceType(), "error": h.errors.resourceType(),
	}
	return h
}

// Idle advances the clock to the next time that the program waits for. It is an option of the instance
// ([component.WithIdle]): a program that waits takes no time.
func (h *Host) Idle() bool { return h.clock.wake() }

// Instantiate makes an instance of a component with what it imports of WASI. Other imports are taken from more, which may be
// nil.
func (h *Host) Instantiate(ctx context.Context, c *component.Component, more component.Imports, options ...component.InstanceOption) (*component.Instance, error) {
	imports, err := h.Imports(c)
	if err != nil {
		return nil, err
	}
	maps.Copy(imports, more)
	return c.Instantiate(ctx, imports, append(options, component.WithIdle(h.Idle))...)
}

// functions are functions of an interface by name.
type functions map[string]hostFunction

// hostFunction is a function with the types of its parameters: a component may declare others, which are refused.
type hostFunction struct {
	params   string // as paramsText has them
	supplied any    // a [component.Func] or [component.AsyncFunc]
}

// function makes a function that cannot fail.
func function(params string, f func(args []any) any) hostFunction {
	return fallible(params, func(args []any) (any, error) { return f(args), nil })
}

func fallible(params string, f func(args []any) (any, error)) hostFunction {
	return hostFunction{params, component.Func(func(_ context.Context, args []any) (any, error) { return f(args) })}
}

// interfaces are the interfaces of a track of versions: compatible versions differ in the last number alone.
func (h *Host) interfaces() map[string]map[string]functions {
	return map[string]map[string]functions{
		"wasi:cli/environment":          {"0.2": h.environment("initial-cwd"), "0.3": h.environment("get-initial-cwd")},
		"wasi:cli/exit":                 {"0.2": exits(), "0.3": exits()},
		"wasi:cli/types":                {"0.3": {}},
		"wasi:cli/stdin":                {"0.2": h.stdin(), "0.3": h.stdinStream()},
		"wasi:cli/stdout":               {"0.2": h.output("get-stdout", h.options.Stdout), "0.3": outputStreamOf(h.options.Stdout)},
		"wasi:cli/stderr":               {"0.2": h.output("get-stderr", h.options.Stderr), "0.3": outputStreamOf(h.options.Stderr)},
		"wasi:cli/terminal-input":       {"0.2": {}, "0.3": {}},
		"wasi:cli/terminal-output":      {"0.2": {}, "0.3": {}},
		"wasi:cli/terminal-stdin":       {"0.2": noTerminal("stdin"), "0.3": noTerminal("stdin")},
		"wasi:cli/terminal-stdout":      {"0.2": noTerminal("stdout"), "0.3": noTerminal("stdout")},
		"wasi:cli/terminal-stderr":      {"0.2": noTerminal("stderr"), "0.3": noTerminal("stderr")},
		"wasi:clocks/types":             {"0.3": {}},
		"wasi:clocks/monotonic-clock":   {"0.2": h.monotonicClock(), "0.3": h.waitingClock()},
		"wasi:clocks/wall-clock":        {"0.2": h.wallClock()},
		"wasi:clocks/system-clock":      {"0.3": h.systemClock()},
		"wasi:random/random":            {"0.2": h.randomness("random"), "0.3": h.randomness("random")},
		"wasi:random/insecure":          {"0.2": h.randomness("insecure-random"), "0.3": h.randomness("insecure-random")},
		"wasi:random/insecure-seed":     {"0.2": h.insecureSeed("insecure-seed"), "0.3": h.insecureSeed("get-insecure-seed")},
		"wasi:io/error":                 {"0.2": h.streamErrors()},
		"wasi:io/poll":                  {"0.2": h.polling()},
		"wasi:io/streams":               {"0.2": h.streams()},
		"wasi:filesystem/preopens":      {"0.2": noDirectories(), "0.3": noDirectories()},
		"wasi:filesystem/types":         {"0.2": noFileErrors(), "0.3": {}},
		"wasi:sockets/instance-network": {"0.2": h.network()},
		"wasi:logging/logging":          {"": h.logging(), "0.1": h.logging()},
	}
}

// Imports gives what the component imports of WASI, under the versions that it names. An interface that the package does not
// have is an error that says which versions there are; other imports are left out.
func (h *Host) Imports(c *component.Component) (component.Imports, error) {
	all := component.Imports{}
	known := h.interfaces()
	l := &linker{h, map[component.Type]string{}}
	for _, i := range c.Imports() {
		if i.Sort != "instance" || !strings.HasPrefix(i.Name, "wasi:") {
			continue
		}
		have, err := fitting(known, i.Name)
		if err != nil {
			return nil, err
		}
		if all[i.Name], err = l.supply(i, have); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fitting gives the functions of an interface of which a component imports a version.
func fitting(known map[string]map[string]functions, imported string) (functions, error) {
	name, version, _ := strings.Cut(imported, "@")
	tracks, ok := known[name]
	if have, fits := tracks[track(version)]; fits {
		return have, nil
	}
	if isRefused(name) && (track(version) == "0.2" || track(version) == "0.3") {
		return nil, nil
	}
	if !ok {
		return nil, fmt.Errorf("the component imports %s, which this host does not have", imported)
	}
	versions := slices.Sorted(maps.Keys(tracks))
	plural := ""
	if len(versions) > 1 {
		plural = "s"
	}
	return nil, fmt.Errorf("the component imports %s, and this host has version%s %s of it", imported, plural, strings.Join(versions, " and "))
}

// track gives the numbers of a version that compatible versions share. One of a pre-release has none: it is compatible with no
// other version.
func track(version string) string {
	base, _, _ := strings.Cut(version, "+")
	if strings.HasPrefix(base, "0.1.0-draft") {
		return "0.1" // of proposals without a release
	}
	parts := strings.SplitN(base, ".", 3)
	if len(parts) < 3 || strings.Contains(parts[2], "-") {
		return version
	}
	return parts[0] + "." + parts[1]
}

// Cases of options and results.
func success(v any) component.Variant { return component.Variant{Case: 0, Payload: v} }
func failure(v any) component.Variant { return component.Variant{Case: 1, Payload: v} }

var none = component.Variant{Case: 0}
