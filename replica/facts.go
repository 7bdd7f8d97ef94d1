package replica

import (
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/cow"
)

// facts is what readers of views may ask that the certified trees do not show:
// who made a request, which sections of a module are private. A request's facts
// never change while it is known; views of different heights share them.
type facts struct {
	mu       sync.RWMutex
	requests map[principal.Principal]*cow.Map[RequestID, RequestFacts] // by subnet; without pointers, which the collector would follow
	modules  cow.Map[principal.Principal, *canister.Module]
}

// RequestFacts says who made a request, and of whom.
type RequestFacts struct{ Sender, Receiver, Effective principal.Principal }

// learn enters who made requests that no view shows yet.
func (f *facts) learn(subnet principal.Principal, requests []requestChange) {
	if len(requests) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests == nil {
		f.requests = make(map[principal.Principal]*cow.Map[RequestID, RequestFacts])
	}
	known := f.requests[subnet]
	if known == nil {
		known = new(cow.Map[RequestID, RequestFacts])
		f.requests[subnet] = known
	}
	for i := range requests {
		if r := &requests[i]; r.fresh {
			known.Set(r.id, r.facts)
		}
	}
}

func (f *facts) pruned(subnet principal.Principal, id RequestID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.requests[subnet]; known != nil {
		known.Delete(id)
	}
}

func (f *facts) coded(id principal.Principal, module *canister.Module) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if module == nil {
		f.modules.Delete(id)
	} else {
		f.modules.Set(id, module)
	}
}

// Request is who made a request of a subnet; false where the subnet does not
// know it, or no view shows it yet.
func (v *View) Request(subnet principal.Principal, id RequestID) (sender, receiver, effective principal.Principal, ok bool) {
	v.facts.mu.RLock()
	defer v.facts.mu.RUnlock()
	known := v.facts.requests[subnet]
	if known == nil {
		return sender, receiver, effective, false
	}
	f, ok := known.Get(id)
	return f.Sender, f.Receiver, f.Effective, ok
}

// Module is the code a canister has now, nil where it has none.
func (v *View) Module(id principal.Principal) *canister.Module {
	v.facts.mu.RLock()
	defer v.facts.mu.RUnlock()
	module, _ := v.facts.modules.Get(id)
	return module
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
