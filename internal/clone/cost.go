package clone

import (
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/snapshotdir"
)

// Cost is what taking and reading a snapshot costs a canister on an application subnet of 13 nodes.
type Cost struct {
	Take   cycles.Amount
	Read   cycles.Amount
	Memory uint64 // bytes that the snapshot occupies until it is deleted
}

// CostOf returns the cost for a canister that uses so many bytes.
func CostOf(memory uint64) Cost {
	prices := cycles.Application(13)
	slices := (memory + snapshotdir.MaxSliceBytes - 1) / snapshotdir.MaxSliceBytes
	request := prices.IngressMessage(requestBytes).Add(prices.ManagementWork(sliceInstructions))
	return Cost{
		Take:   prices.IngressMessage(requestBytes).Add(prices.ManagementWork(snapshotInstructions + memory)),
		Read:   request.Mul(slices).Add(prices.ManagementWork(memory)),
		Memory: memory,
	}
}
