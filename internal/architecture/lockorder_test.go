package architecture

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// locksPage lists the order in which mutexes are taken.
const locksPage = "docs/internals/locks.md"

// lockRanks are the places of mutexes in the list of locksPage: a mutex is taken before those with a higher rank.
// Mutexes of one rank are never taken together.
func lockRanks(t *testing.T) map[string]int {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root(t), locksPage))
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(string(page), "\nThere are these exceptions")
	ranks, rank := map[string]int{}, 0
	for _, item := range regexp.MustCompile(`(?m)^\d+\. (.*)$`).FindAllStringSubmatch(list, -1) {
		rank++
		for i, step := range strings.Split(item[1], ", then ") {
			if i > 0 {
				rank++
			}
			for _, name := range lockName.FindAllStringSubmatch(step, -1) {
				ranks[name[1]] = rank
			}
		}
	}
	return ranks
}

// nestedOnPurpose are the pairs that the page names as exceptions, and those that only seem to be taken together.
var nestedOnPurpose = map[string]string{
	"control.connections.mu, then control.connection.mu":    "neither is taken together with a lock of the list",
	"control.rpc.mu, then control.connection.mu":            "neither is taken together with a lock of the list",
	"daemon.protocolMux.mu, then daemon.connectionLimit.mu": "neither is taken together with a lock of the list",
	"wasm.slot.mu, then wasm.slot.mu":                       "the comparison of two canisters",
	"wasm.Guest.residency, then wasm.Guest.residency":       "Guest.begin takes it only if the guest is not open",
}

// TestLocksAreTakenInTheirOrder reads which locks functions take while they hold another one, directly or by the
// functions that they call. It knows types by declarations alone: calls by interfaces, function values and elements of
// maps are not followed.
func TestLocksAreTakenInTheirOrder(t *testing.T) {
	ranks := lockRanks(t)
	program := readProgram(t)
	found := program.nestings()
	for _, n := range found {
		before, listed := ranks[n.held]
		after, alsoListed := ranks[n.taken]
		switch {
		case nestedOnPurpose[n.pair()] != "":
		case n.held == n.taken:
			t.Errorf("%s takes %s, which it holds", n.where, n.taken)
		case !listed:
			t.Errorf("%s takes %s while it holds %s: %s does not list the latter, so it is a leaf", n.where, n.taken, n.held, locksPage)
		case alsoListed && after <= before:
			t.Errorf("%s takes %s while it holds %s: %s has another order", n.where, n.taken, n.held, locksPage)
		}
	}
	pairs := map[string]bool{}
	for _, n := range found {
		pairs[n.pair()] = true
	}
	const known = 6
	if len(pairs) < known {
		t.Errorf("only %d pairs of locks were found, fewer than %d", len(pairs), known)
	}
}

// nesting is a lock that is taken while another one is held.
type nesting struct{ where, held, taken string }

func (n nesting) pair() string { return n.held + ", then " + n.taken }

// nestings are all nestings of the program.
func (p *program) nestings() (all []nesting) {
	taken := p.takenByCalls()
	for _, f := range p.functions {
		for _, point := range f.points {
			for _, held := range point.held {
				for _, lock := range point.locks(taken) {
					all = append(all, nesting{fmt.Sprintf("%s:%d", f.source.path, point.line), held, lock})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b nesting) int { return strings.Compare(a.where+a.pair(), b.where+b.pair()) })
	return slices.Compact(all)
}

// locks are the locks that a point takes: one, or those of the function that it calls.
func (p *point) locks(taken map[string][]string) []string {
	if p.lock != "" {
		return []string{p.lock}
	}
	return taken[p.call]
}

// takenByCalls are the locks that each function takes, also by the functions that it calls.
func (p *program) takenByCalls() map[string][]string {
	taken := map[string][]string{}
	for changed := true; changed; {
		changed = false
		for name, f := range p.functions {
			for i := range f.points {
				for _, lock := range f.points[i].locks(taken) {
					if !slices.Contains(taken[name], lock) {
						taken[name], changed = append(taken[name], lock), true
					}
				}
			}
		}
	}
	return taken
}
