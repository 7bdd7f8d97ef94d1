package management

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// parse returns the settings old with the changes of the argument. It rejects numbers out of range and duplicate names
// (interface specification, "IC method update_settings"), as the replica does before all other checks.
func (a *settingsArg) parse(old canister.Settings) (canister.Settings, *intercanister.Reject) {
	s := old
	if a == nil {
		return s, nil
	}
	if reject := a.numbers(&s); reject != nil {
		return s, reject
	}
	if a.Controllers != nil {
		s.Controllers = distinct(*a.Controllers)
	}
	for _, v := range []struct {
		given *visibility
		to    *canister.Visibility
	}{{a.LogVisibility, &s.LogVisibility}, {a.SnapshotVisibility, &s.SnapshotVisibility}, {a.StatusVisibility, &s.StatusVisibility}} {
		if v.given != nil {
			*v.to = givenVisibility(v.given)
		}
	}
	if a.Environment != nil {
		variables, ok := environment(*a.Environment)
		if !ok {
			return s, rejectDuplicateVariables()
		}
		s.SetEnvironment(variables)
	}
	return s, nil
}

// numbers checks the ranges of the numbers and sets them.
func (a *settingsArg) numbers(s *canister.Settings) *intercanister.Reject {
	words := []struct {
		given *candid.Nat
		most  uint64
		to    *uint64
		text  string
	}{
		{a.ComputeAllocation, canister.MaxComputeAllocation, &s.ComputeAllocation, "ComputeAllocation expected to be in the range [0..100]"},
		{a.MemoryAllocation, 1<<64 - 1, &s.MemoryAllocation, "MemoryAllocation expected to be in the range [0..18_446_744_073_709_551_615]"},
		{a.FreezingThreshold, 1<<64 - 1, &s.FreezingThreshold, "Freezing threshold expected to be in the range of [0..2^64-1]"},
		{a.WasmMemoryLimit, canister.MaxWasmMemorySetting, &s.WasmMemoryLimit, "Wasm memory limit expected to be in the range of [0..2^64-1]"},
		{a.WasmMemoryThreshold, canister.MaxWasmMemorySetting, &s.WasmMemoryThreshold, "Wasm memory threshold expected to be in the range of [0..2^64-1]"},
		{a.LogMemoryLimit, 1<<64 - 1, &s.LogMemoryLimit, "Log memory limit expected to be in the range of [0..2^64-1]"},
	}
	for _, w := range words {
		if w.given == nil {
			continue
		}
		n, ok := w.given.Uint64()
		if !ok || n > w.most {
			return rejectRange(w.text, *w.given)
		}
		*w.to = n
	}
	amounts := []struct {
		given *candid.Nat
		to    *cycles.Amount
		text  string
	}{
		{a.ReservedLimit, &s.ReservedLimit, "Reserved cycles limit expected to be in the range of [0..2^128-1]"},
		{a.MinimumIncoming, &s.MinimumIncoming, "Minimum incoming canister call cycles expected to be in the range of [0..2^128-1]"},
	}
	for _, w := range amounts {
		if w.given == nil {
			continue
		}
		n, ok := amountOf(*w.given)
		if !ok {
			return rejectRange(w.text, *w.given)
		}
		*w.to = n
	}
	return nil
}

// distinct returns the controllers in the order of the replica's sets, without duplicates.
func distinct(given []principal.Principal) []principal.Principal {
	out := slices.Clone(given)
	slices.SortFunc(out, principal.Principal.CompareLengthFirst)
	return slices.Compact(out)
}

func givenVisibility(v *visibility) canister.Visibility {
	switch {
	case v.Public != nil:
		return canister.Visibility{Kind: canister.Public}
	case v.Viewers != nil:
		return canister.Visibility{Kind: canister.AllowedViewers, Viewers: *v.Viewers}
	}
	return canister.Visibility{Kind: canister.OnlyControllers}
}

func visibilityOf(v canister.Visibility) visibility {
	switch v.Kind {
	case canister.Public:
		return visibility{Public: null}
	case canister.AllowedViewers:
		return visibility{Viewers: &v.Viewers}
	}
	return visibility{Controllers: null}
}

// environment returns the variables ordered by name, and false if two have the same name.
func environment(given []variable) ([]canister.Variable, bool) {
	out := make([]canister.Variable, len(given))
	for i, v := range given {
		out[i] = canister.Variable(v)
	}
	slices.SortFunc(out, func(a, b canister.Variable) int { return cmp.Compare(a.Name, b.Name) })
	for i := range out {
		if i > 0 && out[i].Name == out[i-1].Name {
			return nil, false
		}
	}
	return out, true
}

// checkEnvironment checks the number and the sizes of the given variables.
func (a *settingsArg) checkEnvironment() *intercanister.Reject {
	if a == nil || a.Environment == nil {
		return nil
	}
	if n := len(*a.Environment); n > canister.MaxVariables {
		return rejectTooManyVariables(n)
	}
	sorted := slices.SortedFunc(slices.Values(*a.Environment), func(a, b variable) int { return cmp.Compare(a.Name, b.Name) })
	for _, v := range sorted {
		if len(v.Name) > canister.MaxVariableNameBytes {
			return rejectLongVariable("name", v.Name, canister.MaxVariableNameBytes)
		}
		if len(v.Value) > canister.MaxVariableBytes {
			return rejectLongVariable("value", v.Value, canister.MaxVariableBytes)
		}
	}
	return nil
}

// environmentHash returns the representation-independent hash of the map of names to values.
func environmentHash(variables []canister.Variable) [32]byte {
	pairs := make([][2 * sha256.Size]byte, len(variables))
	for i, v := range variables {
		name, value := sha256.Sum256([]byte(v.Name)), sha256.Sum256([]byte(v.Value))
		copy(pairs[i][:], name[:])
		copy(pairs[i][sha256.Size:], value[:])
	}
	slices.SortFunc(pairs, func(a, b [2 * sha256.Size]byte) int { return slices.Compare(a[:], b[:]) })
	h := sha256.New()
	for i := range pairs {
		h.Write(pairs[i][:])
	}
	return [32]byte(h.Sum(nil))
}

// plan is a change of settings that the canister can pay for.
type plan struct {
	settings    canister.Settings
	reservation cycles.Amount // moves from the balance to the reserved balance
}

// holder is the state of a canister before its settings change.
type holder struct {
	settings          canister.Settings
	usage             uint64 // bytes
	messages          uint64 // bytes
	balance, reserved cycles.Amount
}

// plan checks that a change of settings fits the subnet and can be paid for: an allocation may only grow if the balance
// stays above the freezing limit.
func (h *holder) plan(c *state.ManagementCall, s canister.Settings) (plan, *intercanister.Reject) {
	sub := c.State.Environment
	before, after := max(h.usage, h.settings.MemoryAllocation), max(h.usage, s.MemoryAllocation)
	if reject := checkCapacity(c.State, sub, &h.settings, &s, before, after); reject != nil {
		return plan{}, reject
	}
	holdings := cycles.Holdings{Memory: after, Messages: h.messages, Compute: s.ComputeAllocation}
	threshold := sub.Fees.FreezingLimit(holdings, s.FreezingThreshold, h.reserved)
	if h.balance.Less(threshold) {
		if s.ComputeAllocation > h.settings.ComputeAllocation {
			return plan{}, rejectComputeCycles(s.ComputeAllocation, threshold.Sub(h.balance))
		}
		if s.MemoryAllocation > h.settings.MemoryAllocation {
			return plan{}, rejectMemoryCycles(s.MemoryAllocation, threshold.Sub(h.balance))
		}
	}
	p := plan{settings: s, reservation: sub.Fees.Reservation(sub.MemoryUsed, after-min(before, after))}
	switch total := h.reserved.Add(p.reservation); {
	case s.ReservedLimit.Less(h.reserved):
		return plan{}, rejectReservedLimit(s.ReservedLimit, h.reserved)
	case s.ReservedLimit.Less(total):
		return plan{}, rejectReservedMemory(s.MemoryAllocation, s.ReservedLimit, total.Sub(s.ReservedLimit))
	case h.balance.Less(p.reservation):
		return plan{}, rejectMemoryCycles(s.MemoryAllocation, p.reservation.Sub(h.balance))
	}
	return p, checkLogLimit(s.LogMemoryLimit)
}

// checkCapacity checks allocations against what the subnet has left.
func checkCapacity(st *state.State, sub *canister.Subnet, old, s *canister.Settings, before, after uint64) *intercanister.Reject {
	free := sub.Limits.SubnetMemory - min(sub.Limits.SubnetMemory, sub.MemoryUsed)
	if after > before && after-before > free {
		return rejectSubnetMemory(after, before+free)
	}
	if s.ComputeAllocation <= old.ComputeAllocation {
		return nil
	}
	var used uint64
	for r := range st.Canisters.All() {
		used += r.Canister.Settings.ComputeAllocation
	}
	left := uint64(ComputeCapacity)
	left -= min(left, used)
	left -= min(left, 1)
	if left += old.ComputeAllocation; s.ComputeAllocation > left {
		return rejectSubnetCompute(s.ComputeAllocation, left)
	}
	return nil
}

func checkLogLimit(n uint64) *intercanister.Reject {
	switch {
	case n != 0 && n < canister.MinLogMemoryLimit:
		return rejectLogLimit(n, "low", "least", canister.MinLogMemoryLimit)
	case n > canister.MaxLogMemoryLimit:
		return rejectLogLimit(n, "high", "most", canister.MaxLogMemoryLimit)
	}
	return nil
}
