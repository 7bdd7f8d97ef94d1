package rewrite

import "fmt"

// codeWriter rewrites the code section.
type codeWriter struct {
	s   *source
	out []byte // bodies, without their sizes

	counter           uint32 // global index of the counter
	outOfInstructions uint32 // function indices in the rewritten module
	growCheck         uint32
	bulkCheck         uint32
	hugeCharge        uint32
	probes            probes
	coverage          coverage
	chargeFunction    uint32
	firstAdded        uint32
	countRan          uint32 // with Options.Coverage

	bodies     bodies
	marks      [][]markBlock // of each function, for Options.offsets
	frames     []uint32      // bytes of the call stack that each written function takes
	stackNeeds []uint32      // the same with all callees, unboundedStack if it checks or is not finished, 0 if not begun

	added     []addedFunction
	open      map[funcType]openDispatcher // those that can take more functions
	splitters map[splitter]uint32         // place among the added functions

	mutableGlobals int
	mutatesTable   bool
	references     bool     // some body gets a reference to a function
	slowest        uint64   // the largest estimate of a function, in nanoseconds
	declared       int      // locals of all functions so far
	operators      uint64   // of all functions so far
	instrumented   uint64   // operators that a replica adds to them
	violation      *Invalid // of the first function that a replica would reject
	violator       int      // that function
	compileTime    uint64   // estimate for all functions so far, in nanoseconds
}

// addedFunction is a function that bodies need. It has its own type.
type addedFunction interface {
	signature() funcType
	body(c *codeWriter) []byte
	// name begins with ownPrefix, so that backtraces leave it out.
	name() string
}

// add returns the place of another function among the added ones.
func (c *codeWriter) add(f addedFunction) uint32 {
	c.added = append(c.added, f)
	return uint32(len(c.added) - 1)
}

// rewriteBodies validates, meters and lowers every body.
func (c *codeWriter) rewriteBodies() *Invalid {
	s := c.s
	c.counter = uint32(len(s.globals))
	c.outOfInstructions = uint32(s.importedFunctions)
	c.growCheck = c.outOfInstructions + 1
	c.bulkCheck = c.outOfInstructions + 2
	c.hugeCharge = c.outOfInstructions + 3
	c.probes = newProbes(s, c.hugeCharge+1)
	c.coverage = coverage{firstGlobal: c.counter + 1}
	c.chargeFunction = s.shifted(uint32(len(s.functions)))
	c.firstAdded = c.chargeFunction + s.helpers()
	c.open, c.splitters = map[funcType]openDispatcher{}, map[splitter]uint32{}
	c.mutableGlobals = s.countMutableGlobals()
	c.out = make([]byte, 0, 5*int(s.codeSize)/2+256)
	c.locateBodies()
	for i := 0; i < c.bodies.failed; i++ {
		if c.stackNeeds[i] == 0 {
			c.writeBody(i)
		}
	}
	if s.options.Coverage {
		c.countRan = c.firstAdded + c.add(countRan{})
	}
	c.judgeModule()
	c.operators += c.instrumented
	return c.bodies.invalid
}

// append writes the finished body.
func (c *codeWriter) append(b *body) {
	from := len(c.out)
	out := appendU32(c.out, b.groups+uint32(len(b.extra)))
	out = append(out, b.r.data[b.declStart:b.declEnd]...)
	for _, t := range b.extra {
		out = append(out, 1, t.encoded())
	}
	out = b.splice(b.stackEntry(b.probeEntry(out)))
	c.out, c.bodies.written[b.place] = out, writtenBody{from, len(out)}
	c.keepMarks(b, from)
}

// judge checks a body against the replica's limits; only the first violation of the first function is kept.
func (c *codeWriter) judge(index int, b *body) {
	c.operators += uint64(b.ops)
	c.instrumented += b.meter.operators
	if c.s.options.Conformance {
		return
	}
	if bad := c.violates(index, b); bad != nil && (c.violation == nil || index < c.violator) {
		c.violation, c.violator = bad, index
	}
}

// violates returns the first limit that a body violates.
func (c *codeWriter) violates(index int, b *body) *Invalid {
	const advice = "Try breaking large functions up into multiple smaller functions."
	switch {
	case b.bad != "":
		return invalid(RuleInstruction, "Wasm module contains a function at index %d with unsupported instruction %s.", index, b.bad)
	case b.complexity > maxComplexity:
		return invalid(RuleComplexity, "Wasm module contains a function at index %d with complexity %d which exceeds the maximum complexity allowed %d.",
			index, b.complexity, maxComplexity).advise(advice, "wasm-module-function-complexity-too-high")
	case b.ops > maxFunctionOps:
		return invalid(RuleFunctionSize, "Wasm module contains a function at index %d of size %d that exceeds the maximum allowed size of %d.",
			index, b.ops, maxFunctionOps).advise(advice, "wasm-module-function-too-large")
	}
	return c.judgeFunction(index, b)
}

// checkCodeSize is the very first check: it considers only the declared size of the section.
func checkCodeSize(raw []byte, allowed uint32) *Invalid {
	r := &reader{data: raw, pos: min(8, len(raw))}
	for r.err == nil && !r.done() {
		id := r.byte()
		size := r.u32()
		if r.err == nil && id == sectionCode && size > allowed {
			return invalid(RuleCodeSection, "Wasm module code section size of %d exceeds the maximum allowed size of %d.", size, allowed).
				advise("Try shrinking the module code section using tools like `ic-wasm` or splitting the logic across multiple canisters.",
					"wasm-module-code-section-too-large")
		}
		r.skip(int(size))
	}
	if r.err != nil {
		return invalidDecoding(fmt.Sprintf("Error finding code section: unexpected end-of-file (at offset 0x%x)", len(raw)))
	}
	return nil
}
