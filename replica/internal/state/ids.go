package state

import (
	"github.com/canisterd/canisterd/candid/principal"
)

// Range is an inclusive range of canister numbers; the id of number n is
// principal.Canister(n).
type Range struct{ First, Last uint64 }

// Contains reports whether a number is in the range.
func (r Range) Contains(n uint64) bool { return r.First <= n && n <= r.Last }

// Ids are the canister ids of a subnet: the ranges it hosts and the one new ids
// come from.
type Ids struct {
	Ranges     []Range // all, the allocation range last
	Allocation Range
	next       uint64 // offset in Allocation
}

// Hosts reports whether an id belongs to the subnet.
func (i *Ids) Hosts(id principal.Principal) bool {
	n, ok := id.CanisterNumber()
	if !ok {
		return false
	}
	for _, r := range i.Ranges {
		if r.Contains(n) {
			return true
		}
	}
	return false
}

// Allocates reports whether an id is one that Next gives or gave.
func (i *Ids) Allocates(id principal.Principal) bool {
	n, ok := id.CanisterNumber()
	return ok && i.Allocation.Contains(n)
}

// Next is an id nobody has had; false where the range is used up.
func (i *Ids) Next() (principal.Principal, bool) {
	if i.Allocation.First+i.next > i.Allocation.Last {
		return principal.Principal{}, false
	}
	id := principal.Canister(i.Allocation.First + i.next)
	i.next++
	return id, true
}
