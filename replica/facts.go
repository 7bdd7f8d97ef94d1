package replica

import (
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// facts is what readers of views may ask that the certified trees do not show:
// who made a request, which sections of a module are private. A request's facts
// never change while it is known; views of different heights share them.
type facts struct {
	mu       sync.RWMutex
	requests map[principal.Principal]map[RequestID]RequestFacts // by subnet; without pointers, which the collector would follow
	modules  map[principal.Principal]*canister.Module
}

// RequestFacts says who made a request, and of whom.
type RequestFacts struct{ Sender, Receiver, Effective principal.Principal }

func (f *facts) received(subnet principal.Principal, in *state.Ingress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests == nil {
		f.requests = make(map[principal.Principal]map[RequestID]RequestFacts)
	}
	known := f.requests[subnet]
	if known == nil {
		known = make(map[RequestID]RequestFacts)
		f.requests[subnet] = known
	}
	known[in.ID] = RequestFacts{in.Sender, in.Receiver, in.Effective}
}

func (f *facts) pruned(subnet principal.Principal, id RequestID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.requests[subnet], id)
}

func (f *facts) coded(id principal.Principal, module *canister.Module) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.modules == nil {
		f.modules = make(map[principal.Principal]*canister.Module)
	}
	if module == nil {
		delete(f.modules, id)
	} else {
		f.modules[id] = module
	}
}

// Request is who made a request of a subnet; false where the subnet does not
// know it.
func (v *View) Request(subnet principal.Principal, id RequestID) (sender, receiver, effective principal.Principal, ok bool) {
	v.facts.mu.RLock()
	defer v.facts.mu.RUnlock()
	f, ok := v.facts.requests[subnet][id]
	return f.Sender, f.Receiver, f.Effective, ok
}

// Module is the code a canister has now, nil where it has none.
func (v *View) Module(id principal.Principal) *canister.Module {
	v.facts.mu.RLock()
	defer v.facts.mu.RUnlock()
	return v.facts.modules[id]
}

// Private reports whether a canister's module has a custom section of this name
// that only controllers may read.
func (v *View) Private(id principal.Principal, section string) bool {
	module := v.Module(id)
	if module == nil {
		return false
	}
	s, ok := module.Section(section)
	return ok && !s.Public
}
