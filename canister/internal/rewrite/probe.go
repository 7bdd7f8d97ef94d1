package rewrite

// A module with probes calls the host at the beginning and at the end of each function. The counter is right at both
// places, so the host knows exactly what each function and each call path took:
//
//	call probe_enter with the function's index and the counter
//	block (body)
//	  block (full) block (out)
//	    ...
//	    br (body) in place of each return
//	  end (out)
//	  call probe_withdraw; call dispatcher ...; return
//	  end (full)
//	  ...
//	end (body)
//	call probe_leave with the counter
//
// The dispatcher calls the function again, so the path to it withdraws the frame: nothing was charged in it. A tail call
// leaves the function first. The probes themselves are not charged, and take no part of the metered call stack.
type probes struct {
	enter, leave, withdraw uint32 // function indices in the rewritten module

	results map[string]int64 // the block type of each list of more than one result
}

// newProbes adds the types of blocks with several results to the module. The host functions begin at an index.
func newProbes(s *source, first uint32) probes {
	if !s.options.Probes {
		return probes{}
	}
	p := probes{enter: first, leave: first + 1, withdraw: first + 2, results: map[string]int64{}}
	for _, t := range s.types {
		if _, known := p.results[t.results]; !known && len(t.results) > 1 {
			p.results[t.results] = int64(len(s.types))
			s.types = append(s.types, funcType{results: t.results})
		}
	}
	return p
}

// probeLabels returns how many labels the probes put around a function's code.
func (b *body) probeLabels() int {
	if b.s.options.Probes {
		return 1
	}
	return 0
}

// probeEntry appends the beginning of a function.
func (b *body) probeEntry(out []byte) []byte {
	if !b.s.options.Probes {
		return out
	}
	p := &b.code.probes
	out = appendSigned(append(out, opI32Const), int64(b.s.importedFunctions+b.place))
	out = appendU32(append(out, opGlobalGet), b.code.counter)
	out = appendU32(append(out, opCall), p.enter)
	out = append(out, opBlock)
	switch results := b.typ.results; len(results) {
	case 0:
		return append(out, blockEmpty)
	case 1:
		return append(out, valueType(results[0]).encoded())
	default:
		return appendSigned(out, p.results[results])
	}
}

// probeExit ends a function after its code.
func (b *body) probeExit() {
	if b.s.options.Probes {
		b.probeLeave()
		b.op(opEnd)
	}
}

// probeLeave tells the host that the function ends. The counter is right.
func (b *body) probeLeave() {
	if b.s.options.Probes {
		b.opIndex(opGlobalGet, b.code.counter)
		b.opIndex(opCall, b.code.probes.leave)
	}
}

// probeWithdraw tells the host that the function will begin again.
func (b *body) probeWithdraw() {
	if b.s.options.Probes {
		b.opIndex(opCall, b.code.probes.withdraw)
	}
}

// returnOp emits a return with the results on the stack.
func (b *body) returnOp() {
	if b.s.options.Probes {
		b.opIndex(opBr, uint32(b.labels-b.frames[0].label))
		return
	}
	b.op(opReturn)
}
