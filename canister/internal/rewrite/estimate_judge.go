package rewrite

const estimateAdvice = "Complexity is the time to compile the code here, in microseconds, as estimated from its loops, branches and locals: " +
	"it grows with loops times locals and with branches times live values. The limit is the daemon's own. " +
	"Try breaking large functions up into multiple smaller functions."

// judgeFunction checks the estimate of a function against its limit, and adds it to the module's.
func (c *codeWriter) judgeFunction(index int, b *body) *Invalid {
	time := b.compile.nanoseconds(b.ops)
	c.compileTime = min(c.compileTime+time, 1<<62)
	c.slowest = max(c.slowest, time)
	if time <= maxCompileTime {
		return nil
	}
	bad := invalid(RuleComplexity, "Wasm module contains a function at index %d with complexity %d which exceeds the maximum complexity allowed %d.",
		index, microseconds(time), microseconds(maxCompileTime))
	bad.help = estimateAdvice
	return bad
}

// judgeModule checks the sum of the estimates against the limit of the module.
func (c *codeWriter) judgeModule() {
	c.compileTime += typeTime * uint64(len(c.s.types)) * uint64(c.s.bodyCount)
	allowed := maxModuleCompileTime + compileTimeFactor*operatorTime*c.operators
	if c.violation != nil || c.s.options.Conformance || c.compileTime <= allowed {
		return
	}
	c.violation = invalid(RuleComplexity, "Wasm module of %d functions and %d operators has complexity %d which exceeds the maximum complexity allowed %d.",
		c.s.bodyCount, c.operators, microseconds(c.compileTime), microseconds(allowed))
	c.violation.help = estimateAdvice
}

// microseconds rounds up, so that a value above a limit is shown as above it.
func microseconds(nanoseconds uint64) uint64 { return (nanoseconds + 999) / 1000 }

// countMutableGlobals counts the globals that are read again after each call.
func (s *source) countMutableGlobals() (n int) {
	for i := range s.globals {
		if s.globals[i].mutable {
			n++
		}
	}
	return n
}
