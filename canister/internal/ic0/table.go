package ic0

import (
	"math"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/profile"
)

// function is one function of the System API.
type function struct {
	name string
	// params and results are value types: i for i32, l for i64, p for the type of a pointer, which is i32 or i64 like
	// the memory.
	params, results string
	where           set  // contexts it may be called in
	cost            cost // instructions charged before anything else
	body            func(x *Execution, stack []uint64)

	memory32Only bool   // only for modules with 32-bit memory
	native       bool   // the replica inlines it in the code, and charges it as a bulk operation
	tables       bool   // values that look like pointers are table indexes or environments
	alias        string // the replica's name for it in errors about the context; "" for ic0_name
}

// cost is the charge of a call: fixed instructions, and some for each byte, whose number is a parameter. Costs that
// depend on more are computed.
type cost struct {
	fixed, each uint64
	param       int // the parameter with the bytes; used if each is not 0
	computed    func(x *Execution, stack []uint64) uint64
}

func flat(n uint64) cost            { return cost{fixed: n} }
func bytesOf(param int) cost        { return cost{fixed: plain, each: 1, param: param} }
func sendingBytesOf(param int) cost { return cost{fixed: plain, each: 50, param: param} }
func (c *cost) of(x *Execution, stack []uint64) uint64 {
	switch {
	case c.computed != nil:
		return c.computed(x, stack)
	case c.each == 0:
		return c.fixed
	}
	return saturate(c.fixed, c.each, stack[c.param])
}

// saturate returns fixed + each*n, at most 2^64-1.
func saturate(fixed, each, n uint64) uint64 {
	if n > (1<<63)/each {
		return 1<<64 - 1
	}
	return fixed + each*n
}

// functions returns all functions, family by family.
func functions() []function {
	var all []function
	for _, family := range [][]function{
		messageFunctions(), responseFunctions(), callFunctions(), cyclesFunctions(), stableFunctions(),
		certifiedFunctions(), timeFunctions(), environmentFunctions(), costFunctions(), debugFunctions(),
	} {
		all = append(all, family...)
	}
	return all
}

// Modules returns the host modules to link: one for modules with 32-bit memory, one for modules with 64-bit memory.
func Modules() []wasm.HostModule {
	return []wasm.HostModule{hostModule(rewrite.SystemModule, false), hostModule(rewrite.WideSystemModule, true)}
}

func hostModule(name string, wide bool) wasm.HostModule {
	m := wasm.HostModule{Name: name}
	for _, f := range functions() {
		if wide && f.memory32Only {
			continue
		}
		m.Functions = append(m.Functions, wasm.HostFunction{
			Name: f.name, Params: valueTypes(f.params, wide), Results: valueTypes(f.results, wide), Call: f.host(wide),
		})
	}
	return m
}

func valueTypes(types string, wide bool) []api.ValueType {
	out := make([]api.ValueType, len(types))
	for i, t := range types {
		out[i] = api.ValueTypeI32
		if t == 'l' || t == 'p' && wide {
			out[i] = api.ValueTypeI64
		}
	}
	return out
}

// host returns the function as the engine calls it: it first charges, then checks that there is a memory if the
// function needs one, then the context, before anything else.
func (f function) host(wide bool) func(g *wasm.Guest, stack []uint64) {
	var short uint // which parameters are 32 bits wide
	for i, t := range valueTypes(f.params, wide) {
		if t == api.ValueTypeI32 {
			short |= 1 << i
		}
	}
	shortResult := len(f.results) == 1 && valueTypes(f.results, wide)[0] == api.ValueTypeI32
	addresses := strings.Contains(f.params, "p") && !f.tables
	if f.alias == "" {
		f.alias = "ic0_" + f.name
	}
	return func(g *wasm.Guest, stack []uint64) {
		x := g.Host().(*Execution)
		for i, rest := 0, short; rest != 0; i, rest = i+1, rest>>1 {
			if rest&1 != 0 {
				stack[i] = uint64(uint32(stack[i]))
			}
		}
		switch n := f.cost.of(x, stack); {
		case n == 0:
		case f.native:
			g.Spend(n)
		default:
			g.Charge(n)
		}
		if addresses && !g.HasMemory() {
			x.misuse("WebAssembly module must define memory")
		}
		if !f.where.has(x.Context) {
			x.wrongContext(f.alias)
		}
		if r := g.Recorder(); r == nil {
			f.body(x, stack)
		} else {
			balance := x.Balance
			f.body(x, stack)
			r.Spend(profile.Weights{Cycles: spent(balance, x.Balance)})
		}
		if shortResult {
			stack[0] = uint64(uint32(stack[0]))
		}
	}
}

// spent returns by how much a balance decreased, at most 2^64-1.
func spent(before, after cycles.Amount) uint64 {
	switch less := before.Sub(after); {
	case !after.Less(before):
		return 0
	case less.Hi != 0:
		return math.MaxUint64
	default:
		return less.Lo
	}
}

// Signature has the value types of a function in the binary format. It has the form of rewrite.SystemAPI.
type Signature struct{ Params, Results []byte }

// Signatures returns the signatures by name, for modules with 64-bit memory if wide.
func Signatures(wide bool) map[string]Signature {
	table := make(map[string]Signature)
	for _, f := range functions() {
		if !wide || !f.memory32Only {
			table[f.name] = Signature{valueTypes(f.params, wide), valueTypes(f.results, wide)}
		}
	}
	return table
}

// Declaration is a function as the specification writes it: I stands for the type of a pointer, Contexts uses its
// letters.
type Declaration struct {
	Name, Type, Contexts string
	Narrow               bool // only for modules with 32-bit memory
}

// Declarations returns all functions, family by family.
func Declarations() []Declaration {
	words := strings.NewReplacer("i", "i32, ", "l", "i64, ", "p", "I, ")
	list := func(types string) string { return "(" + strings.TrimSuffix(words.Replace(types), ", ") + ")" }
	var all []Declaration
	for _, f := range functions() {
		all = append(all, Declaration{f.name, list(f.params) + " → " + list(f.results), f.where.String(), f.memory32Only})
	}
	return all
}
