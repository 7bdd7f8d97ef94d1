package management

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// The rejects for settings and resources, with the replica's texts.

func rejectRange(text string, given candid.Nat) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterContractViolation, "%s, got %s", text, grouped(given))
}

func rejectDuplicateVariables() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload, "Duplicate environment variables are not allowed")
}

func rejectTooManyVariables(n int) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload, "Too many environment variables: %d (max: %d)", n, canister.MaxVariables)
}

func rejectLongVariable(what, text string, limit int) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload,
		`Environment variable %s "%s" exceeds the maximum allowed length of %d.`, what, text, limit)
}

func rejectLogLimit(n uint64, adjective, bound string, limit uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage,
		"The canister log memory limit %d is too %s. It must be at %s %d.", n, adjective, bound, limit)
}

func rejectSubnetMemory(requested, available uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.SubnetOversubscribed,
		"Canister requested %s of memory but only %s are available in the subnet.%s", bytesText(requested), bytesText(available),
		help("Try moving to another subnet.", "subnet-memory-capacity-oversubscribed"))
}

func rejectSubnetCompute(requested, available uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.SubnetOversubscribed,
		"Canister requested a compute allocation of %d%% which cannot be satisfied because the Subnet's remaining compute capacity is %d%%.%s",
		requested, available, help("Try moving to another subnet.", "subnet-compute-capacity-oversubscribed"))
}

func rejectComputeCycles(allocation uint64, missing cycles.Amount) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InsufficientCyclesInComputeAllocation,
		"Cannot increase compute allocation to %d%% due to insufficient cycles. At least %s additional cycles are required.%s",
		allocation, grouped(missing), help("Top up the canister with more cycles.", "insufficient-cycles-in-compute-allocation"))
}

func rejectMemoryCycles(allocation uint64, missing cycles.Amount) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InsufficientCyclesInMemoryAllocation,
		"Cannot increase memory allocation to %s due to insufficient cycles. At least %s additional cycles are required.%s",
		allocationText(allocation), grouped(missing), help("Top up the canister with more cycles.", "insufficient-cycles-in-memory-allocation"))
}

func rejectReservedLimit(limit, reserved cycles.Amount) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.ReservedCyclesLimitIsTooLow,
		"Cannot set the reserved cycles limit %s below the reserved cycles balance of the canister %s.\n%s", grouped(limit), grouped(reserved),
		"Set the reserved cycles limit in the canister settings to a value that is at least the current reserved cycles balance. See documentation: reserved-cycles-limit-is-too-low")
}

func rejectReservedMemory(allocation uint64, limit, excess cycles.Amount) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.ReservedCyclesLimitExceededInMemoryAllocation,
		"Cannot increase memory allocation to %s due to its reserved cycles limit. The current limit (%s) would be exceeded by %s.%s",
		allocationText(allocation), grouped(limit), grouped(excess),
		help("Try increasing this canister's reserved cycles limit or moving it to a subnet with lower memory usage.", "reserved-cycles-limit-exceeded-in-memory-allocation"))
}

func rejectGrowCycles(grown uint64, missing cycles.Amount) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InsufficientCyclesInMemoryGrow,
		"Canister cannot grow memory by %d bytes due to insufficient cycles. At least %s additional cycles are required.%s", grown, grouped(missing),
		help("Top up the canister with more cycles.", "insufficient-cycles-in-memory-grow-1"))
}

func rejectGrowReserved(grown uint64, limit, excess cycles.Amount) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.ReservedCyclesLimitExceededInMemoryGrow,
		"Canister cannot grow memory by %d bytes due to its reserved cycles limit. The current limit (%s) would be exceeded by %s.%s",
		grown, grouped(limit), grouped(excess),
		help("Try increasing this canister's reserved cycles limit or moving it to a subnet with lower memory usage.", "reserved-cycles-limit-exceeded-in-memory-grow"))
}

// bytesText formats a size as the replica prints it: 11.00 MiB.
func bytesText(n uint64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n)/(1<<10), 0
	for size >= 1<<10 && unit < 3 {
		size /= 1 << 10
		unit++
	}
	return fmt.Sprintf("%.2f %s", size, [...]string{"KiB", "MiB", "GiB", "TiB"}[unit])
}

// allocationText formats a memory allocation as the replica prints it.
func allocationText(n uint64) string {
	if n == 0 {
		return "best-effort"
	}
	return bytesText(n)
}
