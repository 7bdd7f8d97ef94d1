package canister

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Status is the stage of a canister's life cycle (interface specification, "Canister status"). The numbers are those of
// ic0.canister_status.
type Status uint8

// The states.
const (
	Running  Status = 1
	Stopping Status = 2
	Stopped  Status = 3
)

// String returns the variant of canister_status_result.
func (s Status) String() string {
	switch s {
	case Running:
		return "running"
	case Stopping:
		return "stopping"
	case Stopped:
		return "stopped"
	}
	return "unknown"
}

// Canister is the whole state of one canister except its queues and call contexts. Exported fields are replicated
// state. Only the owner writes them: Execute and Install while they run, otherwise the subnet that holds it.
type Canister struct {
	// ID never changes.
	ID principal.Principal
	// Status is written by start_canister, stop_canister and the end of stopping.
	Status Status
	// Features are what the subnet lets modules of the canister use beyond the Internet Computer. Upgrades and
	// reinstallations keep them, Uninstall clears them.
	Features Features
	// Created and Installed are the times of creation and of the last installation, in ns; Installed is 0 on an empty
	// canister.
	Created, Installed uint64
	// Settings is replaced by update_settings and never written, because forks and queries share it. Its values are in
	// their ranges.
	Settings *Settings
	// Balance is the main balance: every charge, transfer and refund changes it. While a message runs, it excludes the
	// prepayment for that message, and the executor owns it. Reserved is the reserved balance: it grows with memory,
	// and payments for storage reduce it.
	Balance, Reserved cycles.Amount
	// Version is canister_version (§4.9 of the interface notes): Execute and Install increment it on success, the
	// subnet in all other cases.
	Version uint64
	// Timer is the global timer in ns; 0 while inactive. Execute sets it to 0 before canister_global_timer runs.
	Timer uint64
	// Certified is the certified data: nil on an empty canister, otherwise at most 32 bytes.
	// It is replaced, never written.
	Certified []byte
	// Logs grow by executions, including failed ones.
	History History
	Logs    Log
	Chunks  ChunkStore
	// Consumed is what the canister paid, by use. Execute and Install add the burned cycles and the cost of sending
	// each request (Transmission). The subnet adds everything else, including prepayments.
	Consumed Consumption
	// Queries are the statistics of query calls. The subnet writes them.
	Queries QueryStats
	// MessageBytes is the memory of messages in the canister's queues. The subnet writes it. The freezing limit
	// includes it.
	MessageBytes uint64
	// Snapshots belong to the subnet.
	Snapshots Snapshots

	// state is nil on an empty canister.
	state *state
}

// Consumption is what a canister has paid since its creation, by use (interface specification, "IC method
// canister_metrics").
type Consumption struct {
	Memory, Compute, Ingress, Instructions, Transmission, Uninstall, Creation, Outcalls, Burned cycles.Amount
}

// QueryStats are the statistics of the query calls to a canister.
type QueryStats struct {
	Calls, Instructions, RequestBytes, ResponseBytes uint64
}

// Add adds the counts of other queries.
func (s *QueryStats) Add(more *QueryStats) {
	s.Calls += more.Calls
	s.Instructions += more.Instructions
	s.RequestBytes += more.RequestBytes
	s.ResponseBytes += more.ResponseBytes
}

// Usage is the memory that a canister uses, in bytes (interface specification, "IC method canister_status",
// memory_metrics).
type Usage struct {
	Heap, Stable, Globals, Binary, Custom, History, Chunks, Snapshots, Logs uint64
}

// Total returns memory_size.
func (u Usage) Total() uint64 { return u.total() }

func (u *Usage) total() uint64 {
	return u.Heap + u.Stable + u.Globals + u.Binary + u.Custom + u.History + u.Chunks + u.Snapshots + u.Logs
}

// New returns an empty, running canister without cycles.
func New(id principal.Principal, now uint64, settings Settings) *Canister {
	return &Canister{ID: id, Created: now, Status: Running, Settings: &settings}
}

// Module returns the installed module, or nil for an empty canister.
func (c *Canister) Module() *Module {
	if c.state == nil {
		return nil
	}
	return c.state.module
}

// MemoryUsage returns the memory that the canister uses. While a message is paused, this is the usage before the
// message.
func (c *Canister) MemoryUsage() (u Usage) {
	c.measure(&u)
	return u
}

// measure sets what MemoryUsage returns. A copy of a Usage just written waits for the writes, so messages avoid it.
func (c *Canister) measure(u *Usage) {
	c.overhead(u)
	if s := c.state; s != nil {
		s.module.measure(u, s.heap, uint64(s.pages))
	} else {
		u.Logs = 0
	}
}

// overhead sets the memory that a canister with code uses besides its code and its memories.
func (c *Canister) overhead(u *Usage) {
	u.History, u.Chunks, u.Snapshots, u.Logs = c.History.Bytes(), c.Chunks.Bytes(), c.Snapshots.Bytes(), logBytes(c.Settings.LogMemoryLimit)
}

// memoryUsed returns the total memory that the canister uses.
func (c *Canister) memoryUsed() uint64 {
	var u Usage
	c.measure(&u)
	return u.total()
}

// memoryUsedBy returns the total memory that the canister uses with the memories of a runner: with the committed ones if
// the runner is its own.
func (c *Canister) memoryUsedBy(r *runner) uint64 {
	if c.state != nil && c.state.runner == r {
		return c.memoryUsed()
	}
	var u Usage
	c.overhead(&u)
	r.module.measure(&u, r.guest.MemorySize(), r.stable.Size())
	return u.total()
}

// FreezingLimit returns the balance below which the canister is frozen.
func (c *Canister) FreezingLimit(sub *Subnet) cycles.Amount {
	return c.freezingLimit(sub, c.memoryUsed())
}

func (c *Canister) freezingLimit(sub *Subnet, memory uint64) cycles.Amount {
	return sub.Fees.FreezingLimit(c.holdings(memory), c.Settings.FreezingThreshold, c.Reserved)
}

func (c *Canister) holdings(memory uint64) cycles.Holdings {
	return cycles.HoldingsOf(memory, c.Settings.MemoryAllocation, c.MessageBytes, c.Settings.ComputeAllocation)
}

// Holdings returns what the canister pays for over time.
func (c *Canister) Holdings() cycles.Holdings { return c.holdings(c.memoryUsed()) }

// Liquid returns what the canister may spend: the balance above the freezing limit.
func (c *Canister) Liquid(sub *Subnet) cycles.Amount { return c.Balance.Sub(c.FreezingLimit(sub)) }

// Uninstall removes the code with its memories, certified data, chunk store, logs and timer (interface specification,
// "IC method uninstall_code"). The caller updates version, history and open call contexts. On an empty canister, it
// only clears chunks and logs.
func (c *Canister) Uninstall() {
	c.empty()
	c.Certified, c.Timer, c.Installed, c.Features = nil, 0, 0, 0
	c.Chunks.Clear()
	c.Logs.Clear()
}

// Close deletes the Wasm state, the chunks and the snapshots. The canister is then empty.
func (c *Canister) Close() {
	c.empty()
	c.Chunks.Clear()
	c.Snapshots.Clear()
}

func (c *Canister) empty() {
	if c.state != nil {
		c.state.close(false)
		c.state = nil
	}
}
