package replica

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/management"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Compiling a module is slow and does not need the network. If there is a Compiler, a call that installs a module
// leaves the queue until an input says that the module is ready, and all other messages continue.

// Compiler prepares modules in parallel with the network.
type Compiler interface {
	// Compile begins to prepare a module and returns at once. When the module is in the engine, or was found invalid,
	// the network must receive a *ModulePrepared.
	Compile(job Compilation)
}

// Compilation is an uploaded module that a subnet needs prepared. It is read-only.
type Compilation struct {
	Subnet principal.Principal
	Hash   [32]byte
	Module []byte
}

// ModulePrepared says that a requested module is in the engine, or why it is invalid.
type ModulePrepared struct {
	Subnet principal.Principal
	Hash   [32]byte
	Reject *intercanister.Reject
}

func (*ModulePrepared) input() {}

// Prepare does the work of a Compiler, on any goroutine.
func (c *Compilation) Prepare(ctx context.Context, engine *canister.Engine) *ModulePrepared {
	_, reject := engine.Prepare(ctx, c.Module)
	return &ModulePrepared{Subnet: c.Subnet, Hash: c.Hash, Reject: reject}
}

// Preceded reports whether a command must wait for an earlier one about the same canister that waits for its module.
func (s *subnet) Preceded(target *state.Entry) bool {
	before := slices.ContainsFunc(s.Preparing, func(p state.Preparation) bool { return p.Target == target.ID() })
	if before {
		s.asked = &state.Preparation{Target: target.ID(), Ready: true}
	}
	return before
}

// Compiling reports whether a command must wait for the module that it installs.
func (s *subnet) Compiling(c *state.ManagementCall, target *state.Entry, uploaded []byte) bool {
	if s.net.config.Compiler == nil || warmed(c) {
		return false
	}
	hash := sha256.Sum256(uploaded)
	if _, prepared := s.Prepared[hash]; prepared || s.Compiled[hash] {
		return false
	}
	s.asked = &state.Preparation{Target: target.ID(), Hash: hash, Module: uploaded}
	if !slices.ContainsFunc(s.Preparing, func(p state.Preparation) bool { return p.Hash == hash }) {
		s.net.config.Compiler.Compile(Compilation{Subnet: s.ID, Hash: hash, Module: uploaded})
	}
	return true
}

// warmed reports whether the module of a command was prepared before its message
// entered the network (Warm).
func warmed(c *state.ManagementCall) bool { return c.FromUser() && management.BringsModule(c.Method) }

// awaitModule makes a command wait for the module that Compiling requested, or for the command that Preceded found.
func (s *subnet) awaitModule(in intercanister.Input) {
	if holdsExpired(len(s.Preparing)) {
		s.Preparing = slices.DeleteFunc(s.Preparing, func(p state.Preparation) bool { return s.dropLate(&p.In) })
	}
	s.asked.In = in
	s.Preparing = append(s.Preparing, *s.asked)
	s.asked = nil
}

// recompile requests modules that commands wait for again: the earlier request was made by another network.
func (s *subnet) recompile() {
	compiler := s.net.config.Compiler
	if compiler == nil {
		return
	}
	for i := range s.Preparing {
		p := &s.Preparing[i]
		again := func(earlier state.Preparation) bool { return !earlier.Ready && earlier.Hash == p.Hash }
		if !p.Ready && !slices.ContainsFunc(s.Preparing[:i], again) {
			compiler.Compile(Compilation{Subnet: s.ID, Hash: p.Hash, Module: p.Module})
		}
	}
}

// compileHere returns commands that wait for modules to the queue, if no Compiler works on them: the network is a fork
// of one that has a Compiler.
func (s *subnet) compileHere() {
	if len(s.Preparing) == 0 || s.net.config.Compiler != nil {
		return
	}
	again := make([]state.Input, len(s.Preparing))
	for i := range s.Preparing {
		again[i] = s.Preparing[i].In
	}
	s.Preparing = nil
	s.requeue(again)
}

// modulePrepared returns the commands to the queue that waited only for a module. Commands about one canister keep
// their order.
func (n *Network) modulePrepared(in *ModulePrepared) Result {
	position, ok := n.routes.byID[in.Subnet]
	if !ok {
		return refuse(refusal.Invalid, "subnet %s is not part of this network", in.Subnet)
	}
	m := n.subnets[position]
	if m.Prepared == nil || len(m.Prepared) >= MaxPrepared {
		m.Prepared = make(map[[32]byte]*intercanister.Reject)
	}
	m.Prepared[in.Hash] = in.Reject
	var rest []state.Preparation
	var again []state.Input
	for _, p := range m.Preparing {
		p.Ready = p.Ready || p.Hash == in.Hash
		if p.Ready && !slices.ContainsFunc(rest, func(earlier state.Preparation) bool { return earlier.Target == p.Target }) {
			again = append(again, p.In)
		} else {
			rest = append(rest, p)
		}
	}
	m.Preparing = rest
	m.requeue(again)
	return Result{}
}

// Prepare makes an uploaded module ready for installation into a canister with some features. It does not check a
// module again that a Compiler found invalid; a module that could not be compiled is compiled again for the next
// command.
func (s *subnet) Prepare(uploaded []byte, features canister.Features) (*canister.Module, *intercanister.Reject) {
	if len(s.Prepared) > 0 {
		hash := sha256.Sum256(uploaded)
		if reject := s.Prepared[hash]; reject != nil {
			if reject.Error == intercanister.CanisterWasmEngineError {
				delete(s.Prepared, hash)
			}
			return nil, reject
		}
	}
	module, reject := s.net.config.Engine.Prepare(context.Background(), uploaded)
	if reject == nil {
		reject = module.Refusal(features)
	}
	if reject != nil {
		return nil, reject
	}
	return module, nil
}
