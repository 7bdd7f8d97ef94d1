package callbudget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Method is a method of a canister, or a task by the name of its function, such as canister_heartbeat.
type Method struct {
	Canister principal.Principal
	Name     string
}

// Use is the budget of a method, with what calls of it took.
type Use struct {
	Method
	Budget   uint64 // instructions that a call may take
	Calls    uint64 // that began
	Exceeded uint64 // of them, those that took more than the budget
	Most     uint64 // instructions of the call that took most
}

// Budgets has the budgets of methods. It is safe for concurrent use: networks that are forks of each other share one.
type Budgets struct {
	mu   sync.Mutex // guards uses
	uses map[Method]*Use
}

// New returns budgets without a method.
func New() *Budgets { return &Budgets{uses: map[Method]*Use{}} }

// Set sets the budget of a method. Counting begins again.
func (b *Budgets) Set(m Method, instructions uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.uses[m] = &Use{Method: m, Budget: instructions}
}

// Count counts a message of a call: first says that it began the call. The messages of the call took before instructions
// without it, and total with it.
func (b *Budgets) Count(m Method, first bool, before, total uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	use := b.uses[m]
	if use == nil {
		return
	}
	if first {
		use.Calls++
	}
	if before <= use.Budget && total > use.Budget {
		use.Exceeded++
	}
	use.Most = max(use.Most, total)
}

// Uses returns all budgets, by canister and method.
func (b *Budgets) Uses() []Use {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Use, 0, len(b.uses))
	for _, use := range b.uses { // in any order: sorted below
		all = append(all, *use)
	}
	slices.SortFunc(all, func(a, o Use) int { return a.Method.compare(o.Method) })
	return all
}

func (m Method) compare(o Method) int {
	return cmp.Or(m.Canister.Compare(o.Canister), cmp.Compare(m.Name, o.Name))
}

// Exceeded returns the budgets that a call exceeded, the largest excess first.
func Exceeded(uses []Use) []Use {
	over := slices.DeleteFunc(slices.Clone(uses), func(u Use) bool { return u.Most <= u.Budget })
	slices.SortFunc(over, func(a, o Use) int {
		return cmp.Or(cmp.Compare(o.Most-o.Budget, a.Most-a.Budget), a.Method.compare(o.Method))
	})
	return over
}

// Text has a line for each exceeded budget. Canisters have the names that name returns.
func Text(exceeded []Use, name func(principal.Principal) string) string {
	var out strings.Builder
	for i := range exceeded {
		u := &exceeded[i]
		fmt.Fprintf(&out, "  %s.%s: a call took %s instructions, %s more than its budget of %s", name(u.Canister), u.Name, grouped(u.Most), grouped(u.Most-u.Budget), grouped(u.Budget))
		if u.Calls > 1 {
			fmt.Fprintf(&out, "; %s of %s calls took more", grouped(u.Exceeded), grouped(u.Calls))
		}
		out.WriteString("\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func grouped(n uint64) string { return cycles.Of(n).Grouped() }
