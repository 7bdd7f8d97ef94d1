package wasi

import (
	"fmt"
	"io"
	"strings"

	"github.com/canisterd/canisterd/component"
)

// environment is wasi:cli/environment. The name of a function differs between versions.
func (h *Host) environment(directory string) functions {
	return functions{
		"get-arguments": function("", func([]any) any {
			all := []any{}
			for _, arg := range h.options.Args {
				all = append(all, arg)
			}
			return all
		}),
		"get-environment": function("", func([]any) any {
			all := []any{}
			for _, variable := range h.options.Environment {
				name, value, _ := strings.Cut(variable, "=")
				all = append(all, []any{name, value})
			}
			return all
		}),
		directory: function("", func([]any) any { return none }),
	}
}

// exits is wasi:cli/exit.
func exits() functions {
	return functions{
		"exit": fallible("result", func(args []any) (any, error) {
			return nil, &Exit{uint8(args[0].(component.Variant).Case)}
		}),
		"exit-with-code": fallible("u8", func(args []any) (any, error) { return nil, &Exit{args[0].(uint8)} }),
	}
}

// noTerminal says that a standard stream is no terminal.
func noTerminal(stream string) functions {
	return functions{"get-terminal-" + stream: function("", func([]any) any { return none })}
}

// stdin is wasi:cli/stdin of 0.2.
func (h *Host) stdin() functions {
	input := &inputStream{from: h.options.Stdin}
	return functions{"get-stdin": fallible("", func([]any) (any, error) { return h.inputs.resource(input) })}
}

// output is wasi:cli/stdout or wasi:cli/stderr of 0.2.
func (h *Host) output(name string, to io.Writer) functions {
	output := &outputStream{to: to}
	return functions{name: fallible("", func([]any) (any, error) { return h.outputs.resource(output) })}
}

// failedIO is error-code::io of wasi:cli/types.
const failedIO = component.Enum(0)

// stdinStream is wasi:cli/stdin of 0.3: a stream, and a future that says how it ended.
func (h *Host) stdinStream() functions {
	return functions{"read-via-stream": function("", func([]any) any {
		ended, result := component.NewPromise()
		return []any{component.StreamOf(&endingReader{h.options.Stdin, result}), ended}
	})}
}

// endingReader ends at the first error, of which a promise tells.
type endingReader struct {
	from   io.Reader
	result *component.Promise // nil after the end
}

func (r *endingReader) Read(p []byte) (n int, err error) {
	if r.result == nil {
		return 0, io.EOF
	}
	n, err = r.from.Read(p)
	if err != nil && n == 0 {
		r.result.Set(endOf(err))
		r.result, err = nil, io.EOF
	}
	return n, err
}

// endOf says how a stream ended.
func endOf(err error) component.Variant {
	if err == nil || err == io.EOF {
		return success(nil)
	}
	return failure(failedIO)
}

// outputStreamOf is wasi:cli/stdout or wasi:cli/stderr of 0.3.
func outputStreamOf(to io.Writer) functions {
	return functions{"write-via-stream": fallible("stream<u8>", func(args []any) (any, error) {
		data := args[0].(*component.Stream)
		ended, result := component.NewPromise()
		data.AtEnd(func() { result.Set(endOf(data.Err())) })
		return ended, data.Pipe(to)
	})}
}

var levels = []string{"trace", "debug", "info", "warn", "error", "critical"}

// logging is wasi:logging/logging.
func (h *Host) logging() functions {
	return functions{"log": fallible("enum("+strings.Join(levels, ", ")+"), string, string", func(args []any) (any, error) {
		level, about, message := levels[args[0].(component.Enum)], args[1].(string), args[2].(string)
		if h.options.Log != nil {
			h.options.Log(level, about, message)
			return nil, nil
		}
		if about != "" {
			about += ": "
		}
		_, err := fmt.Fprintf(h.options.Stderr, "%s: %s%s\n", level, about, message)
		return nil, err
	})}
}
