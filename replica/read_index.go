package replica

import (
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/cow"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// readIndex answers questions of readers of views beyond the certified trees: the sender of a request, and which
// sections of a module are private. The parties of a request never change while it is known, so views of different
// heights share the index.
type readIndex struct {
	mu       sync.RWMutex                                                // guards the fields below
	requests map[principal.Principal]*cow.Map[RequestID, RequestParties] // by subnet; without pointers, which the garbage collector would follow
	modules  cow.Map[principal.Principal, *canister.Module]
}

// RequestParties are the sender and the receivers of a request.
type RequestParties struct{ Sender, Receiver, Effective principal.Principal }

// add adds the parties of requests that no view shows yet.
func (x *readIndex) add(subnet principal.Principal, requests []requestChange) {
	if len(requests) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.requests == nil {
		x.requests = make(map[principal.Principal]*cow.Map[RequestID, RequestParties])
	}
	known := x.requests[subnet]
	if known == nil {
		known = new(cow.Map[RequestID, RequestParties])
		x.requests[subnet] = known
	}
	for i := range requests {
		if r := &requests[i]; r.fresh {
			known.Set(r.id, r.parties)
		}
	}
}

func (x *readIndex) remove(subnet principal.Principal, id RequestID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if known := x.requests[subnet]; known != nil {
		known.Delete(id)
	}
}

// drop forgets the requests and the canisters of a deleted subnet.
func (x *readIndex) drop(s *state.State) {
	for r := range s.Canisters.All() {
		x.setModule(r.ID(), nil)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.requests, s.ID)
}

func (x *readIndex) setModule(id principal.Principal, module *canister.Module) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if module == nil {
		x.modules.Delete(id)
	} else {
		x.modules.Set(id, module)
	}
}

// Request returns the parties of a request of a subnet, and false if the subnet does not know it, or no view shows it
// yet.
func (v *View) Request(subnet principal.Principal, id RequestID) (sender, receiver, effective principal.Principal, ok bool) {
	v.index.mu.RLock()
	defer v.index.mu.RUnlock()
	known := v.index.requests[subnet]
	if known == nil {
		return sender, receiver, effective, false
	}
	parties, ok := known.Get(id)
	return parties.Sender, parties.Receiver, parties.Effective, ok
}

// module returns the present code of a canister, nil if it has none.
func (x *readIndex) module(id principal.Principal) *canister.Module {
	x.mu.RLock()
	defer x.mu.RUnlock()
	module, _ := x.modules.Get(id)
	return module
}

// Module returns the present code of a canister, nil if it has none.
func (v *View) Module(id principal.Principal) *canister.Module { return v.index.module(id) }

// Private reports whether only controllers may read the custom section of this name of a canister's module.
func (v *View) Private(id principal.Principal, section string) bool {
	module := v.Module(id)
	if module == nil {
		return false
	}
	s, ok := module.Section(section)
	return ok && !s.Public
}
