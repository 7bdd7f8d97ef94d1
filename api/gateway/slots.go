package gateway

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
)

// slots counts the requests to canisters in progress. A canister that never answers takes neither the slots of other
// canisters of its instance nor those of other instances. The zero value has no requests. Safe for concurrent use.
type slots struct {
	mu        sync.Mutex // guards the fields below
	instances map[string]int
	canisters map[resident]int
}

// resident is a canister of an instance: two instances may have canisters of one id.
type resident struct {
	instance string
	canister principal.Principal
}

// take counts a request until it is released. If there is no slot it returns why, and counts nothing.
func (s *slots) take(instance string, canister principal.Principal) (release func(), full *fault) {
	of := resident{instance, canister}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.canisters[of] >= maxOfCanister:
		return nil, fullCanister(instance, canister)
	case s.instances[instance] >= maxOfInstance:
		return nil, fullInstance(instance)
	}
	if s.instances == nil {
		s.instances, s.canisters = map[string]int{}, map[resident]int{}
	}
	s.instances[instance]++
	s.canisters[of]++
	return func() { s.release(of) }, nil
}

func (s *slots) release(of resident) {
	s.mu.Lock()
	defer s.mu.Unlock()
	decrement(s.instances, of.instance)
	decrement(s.canisters, of)
}

// decrement removes what is not counted any more: the maps have no more entries than there are requests.
func decrement[K comparable](counts map[K]int, of K) {
	if counts[of]--; counts[of] == 0 {
		delete(counts, of)
	}
}

func fullCanister(instance string, canister principal.Principal) *fault {
	return &fault{
		http.StatusServiceUnavailable, "CanisterBusy",
		fmt.Sprintf("The canister %s of instance %q has %d requests in progress, which is the most that the gateway takes for one canister.", canister, instance, maxOfCanister), "",
		"Try again when some of them have ended. " + whatWaits(instance),
	}
}

func fullInstance(instance string) *fault {
	return &fault{
		http.StatusServiceUnavailable, "InstanceBusy",
		fmt.Sprintf("The instance %q has %d requests to canisters in progress, which is the most that the gateway takes for one instance.", instance, maxOfInstance), "",
		"Try again when some of them have ended. " + whatWaits(instance),
	}
}
