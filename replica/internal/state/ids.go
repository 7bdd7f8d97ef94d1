package state

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// Range is an inclusive range of canister numbers; the id of number n is
// principal.Canister(n).
type Range struct{ First, Last uint64 }

// Contains reports whether a number is in the range.
func (r Range) Contains(n uint64) bool { return r.First <= n && n <= r.Last }

// Ids are the canister ids of a subnet: the ranges that it hosts and the range for new ids.
type Ids struct {
	Ranges     []Range // all, unordered
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

// Allocates reports whether an id is one that Next returns or returned.
func (i *Ids) Allocates(id principal.Principal) bool {
	n, ok := id.CanisterNumber()
	return ok && i.Allocation.Contains(n)
}

// Next returns an unused id; false if the range is used up.
func (i *Ids) Next() (principal.Principal, bool) {
	if i.Allocation.First+i.next > i.Allocation.Last {
		return principal.Principal{}, false
	}
	id := principal.Canister(i.Allocation.First + i.next)
	i.next++
	return id, true
}

// Remove removes a number from the ranges: its canister has moved.
func (i *Ids) Remove(n uint64) {
	var kept []Range
	for _, r := range i.Ranges {
		if !r.Contains(n) {
			kept = append(kept, r)
			continue
		}
		if r.First < n {
			kept = append(kept, Range{r.First, n - 1})
		}
		if n < r.Last {
			kept = append(kept, Range{n + 1, r.Last})
		}
	}
	i.Ranges = kept
}

// Include adds a number to the ranges, and merges adjacent ones.
func (i *Ids) Include(n uint64) {
	added := Range{n, n}
	kept := make([]Range, 0, len(i.Ranges)+1)
	for _, r := range i.Ranges {
		switch {
		case r.Last+1 == n:
			added.First = r.First
		case r.First == n+1:
			added.Last = r.Last
		default:
			kept = append(kept, r)
		}
	}
	i.Ranges = append(kept, added)
}

// Certified returns the canister ids that the subnet hosts as its certified tree shows them, in order.
func (i *Ids) Certified() certify.Ranges {
	sorted := slices.Clone(i.Ranges)
	slices.SortFunc(sorted, func(a, b Range) int {
		if a.First < b.First {
			return -1
		}
		return 1
	})
	all := make(certify.Ranges, len(sorted))
	for at, r := range sorted {
		all[at] = certify.Range{Start: principal.Canister(r.First), End: principal.Canister(r.Last)}
	}
	return all
}
