package wasi

import (
	"github.com/tetratelabs/wazero/api"

	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// function is one function of WASI preview 1. All but proc_exit return an errno.
type function struct {
	name   string
	params string // value types: i for i32, l for i64
	none   bool   // it returns nothing
	body   func(c *call) errno
}

// call is one call of a function: its parameters, and the execution it is made in.
type call struct {
	*ic0.Execution
	params []uint64
}

// functions returns all functions, family by family.
func functions() []function {
	var all []function
	for _, family := range [][]function{
		environmentFunctions(), clockFunctions(), descriptorFunctions(), pollFunctions(), processFunctions(), randomFunctions(),
	} {
		all = append(all, family...)
	}
	return all
}

// Declaration is a function with its WebAssembly type: Params are i32 or i64. Returns is false if it does not return an
// errno, an i32.
type Declaration struct {
	Name    string
	Params  []string
	Returns bool
}

// Declarations returns all functions, family by family.
func Declarations() []Declaration {
	var all []Declaration
	for _, f := range functions() {
		d := Declaration{Name: f.name, Returns: !f.none}
		for _, t := range f.params {
			d.Params = append(d.Params, map[rune]string{'i': "i32", 'l': "i64"}[t])
		}
		all = append(all, d)
	}
	return all
}

// Signatures returns the signatures by name.
func Signatures() map[string]ic0.Signature {
	table := make(map[string]ic0.Signature)
	for _, f := range functions() {
		table[f.name] = ic0.Signature{Params: f.parameters(), Results: f.results()}
	}
	return table
}

// Module returns the host module to link.
func Module() wasm.HostModule {
	m := wasm.HostModule{Name: rewrite.WASIModule}
	for _, f := range functions() {
		m.Functions = append(m.Functions, wasm.HostFunction{Name: f.name, Params: f.parameters(), Results: f.results(), Call: f.host()})
	}
	return m
}

func (f *function) parameters() []api.ValueType {
	types := make([]api.ValueType, len(f.params))
	for i, t := range f.params {
		if types[i] = api.ValueTypeI32; t == 'l' {
			types[i] = api.ValueTypeI64
		}
	}
	return types
}

func (f *function) results() []api.ValueType {
	if f.none {
		return nil
	}
	return []api.ValueType{api.ValueTypeI32}
}

// host returns the function as the engine calls it: it charges first.
func (f *function) host() func(g *wasm.Guest, stack []uint64) {
	return func(g *wasm.Guest, stack []uint64) {
		for i, t := range f.params {
			if t == 'i' {
				stack[i] = uint64(uint32(stack[i]))
			}
		}
		g.Charge(plain)
		result := f.body(&call{Execution: g.Host().(*ic0.Execution), params: stack})
		if !f.none {
			stack[0] = uint64(result)
		}
	}
}
