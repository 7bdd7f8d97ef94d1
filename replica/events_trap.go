package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// Caller is a frame of a backtrace across canisters: an open call context and what it answers to.
type Caller struct {
	Canister principal.Principal
	Method   string // of the context; the entry point of a task
	Context  intercanister.ContextID
	Origin   Origin
	Request  RequestID // that opened it, if a user did
	Module   [32]byte  // hash of the canister's module; zero for none
}

// callers returns the contexts that a context answers to, itself first: the asynchronous stack. It ends where a caller
// no longer waits.
func (s *subnet) callers(id intercanister.ContextID) (frames []Caller) {
	for at, context := range s.ancestry(id) {
		f := Caller{
			Canister: context.Canister, Method: context.Method, Context: context.ID, Request: openedBy(&at.State, context),
			Origin: Origin{Kind: context.Origin.Kind, Caller: context.Origin.Caller, Call: context.Origin.Call},
		}
		if context.Origin.Kind == intercanister.FromSystem {
			f.Method = context.Origin.Task.String()
		}
		if r := at.Canisters.Get(context.Canister); r != nil {
			f.Module = hashOf(r.Canister.Module())
		}
		frames = append(frames, f)
	}
	return frames
}

// ancestry iterates over a context and those that it answers to, with their subnets, at most MaxAncestry.
func (s *subnet) ancestry(id intercanister.ContextID) func(yield func(*subnet, *intercanister.Context) bool) {
	return func(yield func(*subnet, *intercanister.Context) bool) {
		at := s
		for range MaxAncestry {
			context := at.Calls.Context(id)
			if context == nil || !yield(at, context) || context.Origin.Kind != intercanister.FromCanister {
				return
			}
			position := at.net.routes.find(context.Origin.Caller)
			if position < 0 {
				return
			}
			at = at.net.subnets[position]
			f := at.Calls.Future(context.Origin.Call)
			if f == nil || f.Owner != context.Origin.Caller {
				return
			}
			id = f.Context
		}
	}
}

// reenters reports whether a call from a context goes to a canister on its own asynchronous stack: one that made a call
// which this context serves.
func (s *subnet) reenters(id intercanister.ContextID, callee principal.Principal) bool {
	for _, context := range s.ancestry(id) {
		if context.Canister == callee {
			return true
		}
	}
	return false
}
