package budget

import (
	"fmt"
	"sync/atomic"
)

// Budget is a number of bytes that may be in use at once. A nil budget has no limit and counts
// nothing. Safe for concurrent use.
type Budget struct {
	name   string
	parent *Budget // nil at the top
	limit  int64
	used   atomic.Int64 // including the use of all budgets below; charges alone take it above limit
}

// New makes the budget at the top of a tree.
func New(name string, limit int64) *Budget { return &Budget{name: name, limit: limit} }

// Child makes a budget whose bytes also count in b; it is nil if b is nil.
func (b *Budget) Child(name string, limit int64) *Budget {
	if b == nil {
		return nil
	}
	return &Budget{name: name, parent: b, limit: limit}
}

// Reserve takes n bytes, or returns an *Exceeded and takes none.
func (b *Budget) Reserve(n int64) error {
	for at := b; at != nil; at = at.parent {
		if used := at.used.Add(n); used > at.limit {
			at.used.Add(-n)
			for below := b; below != at; below = below.parent {
				below.used.Add(-n)
			}
			return &Exceeded{Name: at.name, Wanted: n, Used: used - n, Limit: at.limit}
		}
	}
	return nil
}

// Release returns reserved bytes.
func (b *Budget) Release(n int64) { b.Charge(-n) }

// Charge counts bytes that are already in use, even above the limit; a negative n reduces the count.
func (b *Budget) Charge(n int64) {
	for ; b != nil && n != 0; b = b.parent {
		b.used.Add(n)
	}
}

// Excess returns the number of bytes by which b, or a budget above it, exceeds its limit; 0 if none does.
func (b *Budget) Excess() (excess int64) {
	for ; b != nil; b = b.parent {
		excess = max(excess, b.used.Load()-b.limit)
	}
	return excess
}

// Used returns the number of bytes in use.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// Limit returns how many bytes may be in use, 0 for no limit.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return b.limit
}

// Close returns everything that b has in use. b must not be used afterwards.
func (b *Budget) Close() {
	if b != nil {
		b.Charge(-b.used.Load())
	}
}

// Exceeded says that a budget has too little left.
type Exceeded struct {
	Name                string // of the budget
	Wanted, Used, Limit int64  // bytes
}

// Error names the budget with its numbers.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("the memory budget of %s is used up: %d bytes are wanted, and %d of %d bytes are in use: try again later, or start the daemon with a larger --memory-limit",
		e.Name, e.Wanted, e.Used, e.Limit)
}

// Reservation is a number of bytes of a budget that grows while something is read. Not safe for concurrent use.
type Reservation struct {
	budget *Budget
	bytes  int64
}

// NewReservation makes an empty reservation.
func (b *Budget) NewReservation() *Reservation { return &Reservation{budget: b} }

// Grow reserves n bytes more.
func (r *Reservation) Grow(n int64) error {
	if err := r.budget.Reserve(n); err != nil {
		return err
	}
	r.bytes += n
	return nil
}

// Release returns everything. It may be called again.
func (r *Reservation) Release() {
	r.budget.Release(r.bytes)
	r.bytes = 0
}
