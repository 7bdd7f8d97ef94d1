package wasi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/component"
)

// refusedPackages are packages whose interfaces a component may import, although they do nothing.
var refusedPackages = map[string]string{
	"wasi:filesystem": "this host has no files",
	"wasi:sockets":    "this host has no network",
	"wasi:http":       "this host has no network",
	"wasi:clocks":     "this host has no time zones",
}

func isRefused(name string) bool {
	pkg, of, _ := strings.Cut(name, "/")
	return refusedPackages[pkg] != "" && (pkg != "wasi:clocks" || of == "timezone")
}

// refusalCases are the cases with which functions say that they do nothing.
var refusalCases = []string{"access-denied", "unsupported", "HTTP-request-denied"}

// refusal is a function that does nothing: its error is the case for that, or it traps.
func refusal(in string, item component.Extern) any {
	if result, ok := refusalOf(item.Func.Result); ok && !item.Func.Async {
		return component.Func(func(context.Context, []any) (any, error) { return result, nil })
	} else if ok {
		return component.AsyncFunc(func(_ context.Context, _ []any, done *component.Completion) { done.Return(result) })
	}
	pkg, _, _ := strings.Cut(in, "/")
	return component.Func(func(context.Context, []any) (any, error) {
		return nil, fmt.Errorf("refused: %s", refusedPackages[pkg])
	})
}

// refusalOf gives the error of a result that says so.
func refusalOf(result component.Type) (v any, ok bool) {
	if result.Kind() != component.KindResult {
		return nil, false
	}
	errorType := result.Fields()[1].Type
	if kind := errorType.Kind(); kind != component.KindEnum && kind != component.KindVariant {
		return nil, false
	}
	for _, name := range refusalCases {
		n := slices.IndexFunc(errorType.Fields(), func(f component.Field) bool { return f.Name == name && f.Type == component.Type{} })
		switch {
		case n < 0:
		case errorType.Kind() == component.KindEnum:
			return failure(component.Enum(n)), true
		default:
			return failure(component.Variant{Case: uint32(n)}), true
		}
	}
	return nil, false
}

// noDirectories is wasi:filesystem/preopens.
func noDirectories() functions {
	return functions{"get-directories": function("", func([]any) any { return []any{} })}
}

// noFileErrors is what wasi:filesystem/types of 0.2 does: no error of a stream is one of a file.
func noFileErrors() functions {
	return functions{"filesystem-error-code": function("borrow<error>", func([]any) any { return none })}
}

// network is wasi:sockets/instance-network: the network that a program has, which refuses everything.
func (h *Host) network() functions {
	return functions{"instance-network": function("", func([]any) any { return h.types["network"].New(0) })}
}
