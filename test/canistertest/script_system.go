package canistertest

// Blobs, and ways to fail.

func (p *Program) Slice() *Program   { return p.op(opSlice) }   // b from n -> the n bytes of b from there
func (p *Program) Fill() *Program    { return p.op(opFill) }    // b n -> b, n times
func (p *Program) Stop() *Program    { return p.op(opStop) }    // ends the program, or the body it is in
func (p *Program) Stray() *Program   { return p.op(opStray) }   // reads beyond the heap
func (p *Program) Recurse() *Program { return p.op(opRecurse) } // calls itself until the stack is full
func (p *Program) Absent() *Program  { return p.op(opAbsent) }  // calls a function beyond the table

// Touch changes a byte in each of n pages of 4 KiB of the heap.
func (p *Program) Touch(n uint64) *Program { return p.Int(n).op(opTouch) }

// More of the system.

func (p *Program) CallerInfo() *Program   { return p.op(opInfo) }      // -> b
func (p *Program) CallerSigner() *Program { return p.op(opSigner) }    // -> b
func (p *Program) RootKey() *Program      { return p.op(opRootKey) }   // -> b
func (p *Program) HasCert() *Program      { return p.op(opCertified) } // -> 1 or 0: ic0.data_certificate_present

func (p *Program) Variables() *Program { return p.op(opVariables) } // -> how many environment variables there are

// VariableName is the name of an environment variable by its number: -> b.
func (p *Program) VariableName(i uint64) *Program { return p.Int(i).op(opVarName) }

// Variable is the value of an environment variable: -> b.
func (p *Program) Variable(name string) *Program { return p.Text(name).op(opVariable) }

// HasVariable is whether there is an environment variable: -> 1 or 0.
func (p *Program) HasVariable(name string) *Program { return p.Text(name).op(opHasVariable) }

// CostCall is what a call costs with a method's name and an argument of a given size: -> b of 16 bytes, as all costs.
func (p *Program) CostCall(name, arg uint64) *Program { return p.Int(name).Int(arg).op(opCostCall) }

// CostCreate is what creating a canister costs: -> b.
func (p *Program) CostCreate() *Program { return p.op(opCostCreate) }

// CostHTTP is what an HTTP request costs by the bytes sent and the maximum of bytes received: -> b.
func (p *Program) CostHTTP(request, response uint64) *Program {
	return p.Int(request).Int(response).op(opCostHTTP)
}

// CostECDSA, CostSchnorr and CostVetKD are what a signature or key costs with the key of a name and the number of a
// curve or an algorithm: -> b, empty if the key does not exist.
func (p *Program) CostECDSA(key string, curve uint64) *Program {
	return p.Text(key).Int(curve).op(opCostECDSA)
}

func (p *Program) CostSchnorr(key string, algorithm uint64) *Program {
	return p.Text(key).Int(algorithm).op(opCostSchnorr)
}

func (p *Program) CostVetKD(key string, curve uint64) *Program {
	return p.Text(key).Int(curve).op(opCostVetKD)
}
