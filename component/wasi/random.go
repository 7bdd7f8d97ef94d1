package wasi

import "fmt"

// randomness is wasi:random/random or wasi:random/insecure.
func (h *Host) randomness(name string) functions {
	return functions{
		"get-" + name + "-bytes": fallible("u64", func(args []any) (any, error) {
			n := args[0].(uint64)
			if n > maxRandomBytes {
				return nil, fmt.Errorf("%d random bytes are asked for at a time, and the limit is %d", n, maxRandomBytes)
			}
			all := make([]byte, n)
			_, err := h.random.Read(all)
			return all, err
		}),
		"get-" + name + "-u64": function("", func([]any) any { return h.random.Uint64() }),
	}
}

// insecureSeed is wasi:random/insecure-seed.
func (h *Host) insecureSeed(name string) functions {
	return functions{name: function("", func([]any) any { return []any{h.random.Uint64(), h.random.Uint64()} })}
}
