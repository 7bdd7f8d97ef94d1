package canister

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/internal/demangle"
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/internal/sourcelines"
)

// Coverage collects which code of canisters runs, joined by module: that of an engine in all its networks and forks, or
// that of Subnet.Covered. It is safe for concurrent use.
type Coverage struct {
	perRun bool // TakeRan clears it between runs (NewRunCoverage)

	mu      sync.Mutex // guards what follows
	modules map[[32]byte]*covered
	bytes   int    // of modules as uploaded
	version uint64 // counts modules, calls and callbacks
}

// covered is the coverage of a module.
type covered struct {
	module   *rewrite.Module
	source   *Module // for its source lines; nil in the coverage of an engine
	uploaded []byte  // nil if there was no room, and without an engine
	ran      []atomic.Uint64
	calls    map[string]*CoveredCall // by method
}

// NewCoverage returns a coverage without modules.
func NewCoverage() *Coverage { return &Coverage{modules: map[[32]byte]*covered{}} }

// Version returns a number that changes when something is covered.
func (c *Coverage) Version() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	version := c.version
	for _, m := range c.modules { // in any order: it is a sum
		for i := range m.ran {
			version += uint64(bits.OnesCount64(m.ran[i].Load()))
		}
	}
	return version
}

// CoveredModule is the coverage of a module.
type CoveredModule struct {
	Hash      [32]byte // as module_hash
	Raw       []byte   // decompressed, for its debug information; nil if the coverage had no room for it, or of Subnet.Covered
	Functions []CoveredFunction
	Calls     []CoveredCall // by method
	source    *Module
}

// CoveredFunction is a function with its blocks, in the order of the code. Functions without a block have no code that
// can run.
type CoveredFunction struct {
	Index  uint32 // as a replica numbers functions
	Name   string // "" for none
	Blocks []CoveredBlock
}

// CoveredBlock is a run of operators that is entered at its first one only. The offsets are those of CoveredModule.Raw.
type CoveredBlock struct {
	From, To uint32
	Ran      bool
}

// CoveredCall says what became of the calls of a module to a method: which of its callbacks ran, and how often.
type CoveredCall struct {
	Method                           string
	Made, Replied, Rejected, Cleaned uint64
}

// Add adds the counts of another process.
func (c *CoveredCall) Add(o *CoveredCall) {
	c.Made += o.Made
	c.Replied += o.Replied
	c.Rejected += o.Rejected
	c.Cleaned += o.Cleaned
}

// bits returns the bits of a module's blocks.
func (c *Coverage) bits(m *rewrite.Module) []atomic.Uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of(m).ran
}

// of returns the coverage of a module. Needs mu.
func (c *Coverage) of(m *rewrite.Module) *covered {
	known := c.modules[m.Hash]
	if known == nil {
		c.version++
		known = &covered{module: m, ran: make([]atomic.Uint64, m.RanGlobals), calls: map[string]*CoveredCall{}}
		c.modules[m.Hash] = known
	}
	return known
}

// add adds a module, also one that nothing runs of.
func (c *Coverage) add(m *rewrite.Module, uploaded []byte) {
	if c == nil || m.Fault != "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.of(m); known.uploaded == nil && c.bytes+len(uploaded) <= MaxCoveredBytes {
		known.uploaded = bytes.Clone(uploaded)
		c.bytes += len(uploaded)
	}
}

// Collector is a *Coverage, as subnets know it.
type Collector = ic0.Collector

// coverageOf returns the coverage of a canister on a subnet, or nil.
func coverageOf(sub *Subnet, id principal.Principal) *Coverage {
	if sub.Covered == nil {
		return nil
	}
	c, _ := sub.Covered(id).(*Coverage)
	return c
}

// WarmCoverage compiles the form of the module that a coverage of Subnet.Covered needs, so that no message waits for it,
// and lists the module there. A canister has the module.
func (m *Module) WarmCoverage(ctx context.Context, c *Coverage) error {
	code, err := m.codeOf(ctx, form{coverage: true})
	if err != nil {
		return err
	}
	c.wordsOf(m, code.Module())
	return nil
}

// wordsOf returns the words that get the bits of the blocks of a module that runs in a form; nil if nothing is covered.
func (c *Coverage) wordsOf(m *Module, form *rewrite.Module) []atomic.Uint64 {
	if c == nil || !form.Coverage {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.of(form)
	known.source = m
	return known.ran
}

// countCalls counts the calls that a message of the module has made, and the callback that it ran.
func (m *Module) countCalls(id principal.Principal, sub *Subnet, message *Message, out *Outcome) {
	m.engine.coverage.countCalls(m.m.Hash, message, out)
	coverageOf(sub, id).countCalls(m.m.Hash, message, out)
}

func (c *Coverage) countCalls(module [32]byte, message *Message, out *Outcome) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.modules[module]
	if known == nil {
		return // none of its code ran
	}
	c.version += uint64(len(out.Calls))
	for i := range out.Calls {
		known.call(out.Calls[i].Request.Method).Made++
	}
	switch message.Context {
	case ReplyCallback, CompositeReply:
		known.call(message.Called).Replied++
	case RejectCallback, CompositeReject:
		known.call(message.Called).Rejected++
	default:
		return
	}
	c.version++
	if out.Cleaned {
		known.call(message.Called).Cleaned++
	}
}

// call returns the count of a method. Methods beyond MaxCoveredCalls share one.
func (c *covered) call(method string) *CoveredCall {
	known := c.calls[method]
	if known == nil {
		if len(c.calls) >= MaxCoveredCalls {
			method = "(other methods)"
		}
		if known = c.calls[method]; known == nil {
			known = &CoveredCall{Method: method}
			c.calls[method] = known
		}
	}
	return known
}

// Modules returns the coverage so far, by hash.
func (c *Coverage) Modules() []CoveredModule {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]CoveredModule, 0, len(c.modules))
	for _, hash := range slices.SortedFunc(maps.Keys(c.modules), func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) }) {
		all = append(all, c.modules[hash].report())
	}
	return all
}

// Lines returns the source lines of a module of Subnet.Covered, which may be empty. It may take long.
func (m *CoveredModule) Lines() *sourcelines.Lines {
	if m.source == nil {
		return nil
	}
	return m.source.engine.linesOf(m.source)
}

// report returns the coverage of a module so far.
func (c *covered) report() CoveredModule {
	out := CoveredModule{Hash: c.module.Hash, source: c.source}
	if c.uploaded != nil {
		out.Raw, _ = rewrite.Raw(c.uploaded) // it was decompressed before
	}
	functions := map[uint32]int{}
	for _, b := range c.module.Blocks {
		at, known := functions[b.Function]
		if !known {
			at = len(out.Functions)
			functions[b.Function] = at
			out.Functions = append(out.Functions, CoveredFunction{
				Index: rewrite.ReplicaIndexOf(b.Function), Name: demangle.Name(c.module.FunctionName(b.Function)),
			})
		}
		f := &out.Functions[at]
		f.Blocks = append(f.Blocks, CoveredBlock{b.From, b.To, c.ran[b.Bit/64].Load()>>(b.Bit%64)&1 != 0})
	}
	slices.SortFunc(out.Functions, func(a, b CoveredFunction) int { return cmp.Compare(a.Index, b.Index) })
	for _, method := range slices.Sorted(maps.Keys(c.calls)) {
		out.Calls = append(out.Calls, *c.calls[method])
	}
	return out
}
