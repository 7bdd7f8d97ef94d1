package ic0

import (
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Memory has the limits and usage against which the growth of a memory is checked.
type Memory struct {
	InUse      uint64        // bytes the canister uses, all its memories
	Allocation uint64        // bytes guaranteed to it
	Messages   uint64        // bytes of messages in its queues
	Compute    uint64        // percent
	Threshold  uint64        // freezing threshold, seconds
	HeapLimit  uint64        // wasm_memory_limit, 0 for none
	Limit      cycles.Amount // reserved_cycles_limit
	Used       uint64        // Subnet.MemoryUsed when the execution began
	allocated  uint64
}

// freezingLimit returns the balance below which the canister would be frozen with this usage.
func (x *Execution) freezingLimit(memory, messages uint64) cycles.Amount {
	return x.Subnet.Fees.FreezingLimit(cycles.HoldingsOf(memory, x.Allocation, messages, x.Compute), x.Threshold, x.Reserved)
}

// Overdrawn reports whether the message, which began with a balance and may not spend below the freezing limit, has
// spent cycles that a debit has taken since then, and how many are missing. messages is the memory of messages before
// it, reserved the reserved balance before it.
func (x *Execution) Overdrawn(balance, reserved, debit cycles.Amount, messages uint64) (missing cycles.Amount, poor bool) {
	left, spent := balance.Sub(debit), balance.Sub(x.Balance)
	if !left.Less(spent.Add(x.freezingLimit(x.InUse, x.Messages))) {
		return missing, false
	}
	limit := x.Subnet.Fees.FreezingLimit(cycles.Holdings{
		Memory: max(x.InUse, x.Allocation) - x.allocated, Messages: messages, Compute: x.Compute,
	}, x.Threshold, reserved)
	return spent.Add(limit).Sub(left), true
}

// liquid returns what the canister may spend now.
func (x *Execution) liquid() cycles.Amount {
	return x.Balance.Sub(x.freezingLimit(x.InUse, x.Messages))
}

var (
	// limited are the contexts in which wasm_memory_limit applies.
	limited = of(Start, Init, PostUpgrade, Update)
	// thrifty are the contexts that may not grow memory below the freezing limit.
	thrifty = of(Update, Heartbeat, GlobalTimer, LowMemory)
	// reserving are the contexts whose growth takes memory of the subnet and reserves cycles at once; an installation
	// does so at its end.
	reserving = of(Update, Heartbeat, GlobalTimer, LowMemory, ReplyCallback, RejectCallback, Cleanup)
)

// HeapGrew is called after memory.grow made the heap larger by pages of 64 KiB. An error ends the message. It is the
// policy of Guest.OnGrow.
func (x *Execution) HeapGrew(old, pages uint32) error {
	now := (uint64(old) + uint64(pages)) << 16
	if limited.has(x.Context) && x.HeapLimit != 0 && now > x.HeapLimit {
		return x.Fail(HeapLimit(x.HeapLimit, now))
	}
	if f := x.grow(uint64(pages) << 16); f != nil {
		return x.Fail(f)
	}
	return nil
}

// Fail records why the message failed, and returns an error to end the guest with.
func (x *Execution) Fail(f *Failure) error {
	x.Failure = f
	return f
}

// grow checks and records the growth of a memory by bytes.
func (x *Execution) grow(bytes uint64) *Failure {
	old, now := max(x.InUse, x.Allocation), max(x.InUse+bytes, x.Allocation)
	grown := now - old
	if grown != 0 && thrifty.has(x.Context) {
		if limit := x.freezingLimit(now, x.Messages); x.Balance.Less(limit) {
			return x.tooPoor(grown, x.Balance, limit)
		}
	}
	if reserving.has(x.Context) {
		if f := x.reserve(grown); f != nil {
			return f
		}
	}
	x.InUse += bytes
	return nil
}

func (x *Execution) reserve(grown uint64) *Failure {
	if left := x.MemoryLeft(); grown > left-min(x.allocated, left) {
		return &Failure{
			Code: intercanister.CanisterOutOfMemory, Text: "Canister cannot grow its memory usage.",
			Help: Advice("Check the canister's memory usage against its allocation and the system wide limits to determine why more memory cannot be allocated.", "out-of-memory"),
		}
	}
	amount, f := x.Reservation(grown, x.Used+x.allocated)
	if f != nil {
		return f
	}
	x.Balance, x.Reserved = x.Balance.Sub(amount), x.Reserved.Add(amount)
	x.allocated += grown
	return nil
}

// MemoryLeft returns how many bytes the subnet had left when the execution began.
func (x *Execution) MemoryLeft() uint64 {
	return x.Subnet.Limits.SubnetMemory - min(x.Used, x.Subnet.Limits.SubnetMemory)
}

// Reservation returns the cycles that growing by bytes reserves on a subnet that uses used, or why it is not possible.
func (x *Execution) Reservation(grown, used uint64) (cycles.Amount, *Failure) {
	amount := x.Subnet.Fees.Reservation(used, grown)
	if total := x.Reserved.Add(amount); !amount.IsZero() && x.Limit.Less(total) {
		return amount, &Failure{
			Code: intercanister.ReservedCyclesLimitExceededInMemoryGrow,
			Text: fmt.Sprintf("Canister cannot grow memory by %d bytes due to its reserved cycles limit. The current limit (%s) would be exceeded by %s.",
				grown, x.Limit.Grouped(), total.Sub(x.Limit).Grouped()),
			Help: Advice("Try increasing the canister's reserved cycles limit.", "reserved-cycles-limit-exceeded-in-memory-grow"),
		}
	}
	if x.Balance.Less(amount) {
		return amount, x.tooPoor(grown, x.Balance, amount)
	}
	return amount, nil
}

func (x *Execution) tooPoor(grown uint64, have, need cycles.Amount) *Failure {
	text := fmt.Sprintf("Canister cannot grow memory by %d bytes due to insufficient cycles.", grown)
	if slices.Contains(x.Controllers, x.Message.Caller) {
		text += fmt.Sprintf(" At least %s additional cycles are required.", need.Sub(have).Grouped())
	}
	return &Failure{
		Code: intercanister.InsufficientCyclesInMemoryGrow, Text: text,
		Help: Advice("Try topping up the canister.", "insufficient-cycles-in-memory-grow"),
	}
}

// HeapLimit returns the failure of a heap that grew over wasm_memory_limit (IC0539).
func HeapLimit(limit, bytes uint64) *Failure {
	return &Failure{
		Code: intercanister.CanisterWasmMemoryLimitExceeded,
		Text: fmt.Sprintf("Canister exceeded its current Wasm memory limit of %d bytes. The peak Wasm memory usage was %d bytes. "+
			"If the canister reaches 4GiB, then it may stop functioning and may become unrecoverable. "+
			"Please reach out to the canister owner to investigate the reason for the increased memory usage. "+
			"It might be necessary to move data from the Wasm memory to the stable memory. "+
			"If such high Wasm memory usage is expected and safe, then the developer can increase "+
			"the Wasm memory limit in the canister settings.", limit, bytes),
		Help: Advice("Try checking the canister for a possible memory leak or modifying it to use more stable memory instead of Wasm memory.", "wasm-memory-limit-exceeded"),
	}
}
