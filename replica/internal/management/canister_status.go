package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// canisterStatus implements canister_status, as a call and as a query.
func canisterStatus(c *state.ManagementCall, a *idArg) state.Answer {
	r := c.State.Canisters.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectNotFound(a.Canister))
	}
	if reject := maySeeStatus(c, r); reject != nil {
		return state.Fail(reject)
	}
	k := r.Canister
	usage := k.MemoryUsage()
	out := statusResult{
		Status:     statusOf(k.Status),
		Ready:      r.ReadyToMigrate(),
		Version:    k.Version,
		Settings:   definite(k.Settings),
		Module:     moduleHash(k),
		Memory:     bytesOf(usage.Total()),
		Metrics:    metricsOf(&usage),
		Cycles:     natOf(k.Balance.Add(r.DeferredCredit)),
		Reserved:   natOf(k.Reserved),
		IdlePerDay: natOf(c.State.Environment.Fees.IdlePerDay(k.Holdings())),
		Queries: queryStats{
			bytesOf(k.Queries.Calls), bytesOf(k.Queries.Instructions), bytesOf(k.Queries.RequestBytes), bytesOf(k.Queries.ResponseBytes),
		},
	}
	return reply(out)
}

func statusOf(s canister.Status) (out status) {
	switch s {
	case canister.Running:
		out.Running = null
	case canister.Stopping:
		out.Stopping = null
	case canister.Stopped:
		out.Stopped = null
	}
	return out
}

func definite(s *canister.Settings) settingsResult {
	out := settingsResult{
		Controllers:         s.Controllers,
		ComputeAllocation:   bytesOf(s.ComputeAllocation),
		MemoryAllocation:    bytesOf(s.MemoryAllocation),
		FreezingThreshold:   bytesOf(s.FreezingThreshold),
		ReservedLimit:       natOf(s.ReservedLimit),
		MinimumIncoming:     natOf(s.MinimumIncoming),
		LogVisibility:       visibilityOf(s.LogVisibility),
		SnapshotVisibility:  visibilityOf(s.SnapshotVisibility),
		StatusVisibility:    visibilityOf(s.StatusVisibility),
		WasmMemoryLimit:     bytesOf(s.WasmMemoryLimit),
		WasmMemoryThreshold: bytesOf(s.WasmMemoryThreshold),
		LogMemoryLimit:      bytesOf(s.LogMemoryLimit),
	}
	for _, v := range s.Environment {
		out.Environment = append(out.Environment, variable(v))
	}
	return out
}

func metricsOf(u *canister.Usage) memoryMetrics {
	return memoryMetrics{
		bytesOf(u.Heap), bytesOf(u.Stable), bytesOf(u.Globals), bytesOf(u.Binary), bytesOf(u.Custom),
		bytesOf(u.History), bytesOf(u.Chunks), bytesOf(u.Snapshots), bytesOf(u.Logs),
	}
}

// moduleHash returns the hash of the installed module, nil on an empty canister.
func moduleHash(k *canister.Canister) *[]byte {
	m := k.Module()
	if m == nil {
		return nil
	}
	hash := m.Hash()
	raw := hash[:]
	return &raw
}
