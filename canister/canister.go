package canister

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Status is where a canister stands in its life cycle (interface
// specification, "Canister status"). The numbers are those of ic0.canister_status.
type Status uint8

// The states.
const (
	Running  Status = 1
	Stopping Status = 2
	Stopped  Status = 3
)

// String is the variant in canister_status_result.
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

// Canister is the whole state of one canister apart from its queues and call
// contexts. Exported fields are replicated state, written only by the owner:
// Execute and Install while they run, otherwise the subnet that holds it.
type Canister struct {
	// ID never changes.
	ID principal.Principal
	// Status is written by start_canister, stop_canister and the end of stopping.
	Status Status
	// Features are what modules of the canister may use beyond the Internet Computer: the subnet's. Upgrades and
	// reinstallations keep them, Uninstall clears them.
	Features Features
	// Created and Installed are times of creation and of the last installation, ns; Installed is
	// 0 on an empty canister.
	Created, Installed uint64
	// Settings is replaced by update_settings, never written: forks and queries have it, too.
	// Its ranges hold.
	Settings *Settings
	// Balance is the main balance: it moves with every charge, transfer and refund. While a
	// message runs it lacks what was prepaid for it, and the executor owns it. Reserved is the
	// reserved balance: it grows with memory and shrinks as storage is paid.
	Balance, Reserved cycles.Amount
	// Version is canister_version (§4.9 of the interface notes): Execute and Install count it up on
	// success, everything else is the subnet's.
	Version uint64
	// Timer is the global timer, ns; 0 while inactive. Execute sets it to 0 before
	// canister_global_timer runs.
	Timer uint64
	// Certified is the certified data: nil on an empty canister, otherwise at most 32 bytes.
	// It is replaced, never written.
	Certified []byte
	// History, Logs and Chunks speak for themselves. Logs grow by executions, failed ones too.
	History History
	Logs    Log
	Chunks  ChunkStore
	// Consumed is what the canister paid, by use. Execute and Install add what was burned, and for each
	// call made what carrying its request costs (Transmission); the rest, prepayments too, is the
	// subnet's.
	Consumed Consumption
	// Queries are the statistics of query calls; the subnet's.
	Queries QueryStats
	// MessageBytes is the memory of messages in the canister's queues; the subnet's. It counts
	// for the freezing limit.
	MessageBytes uint64
	// Snapshots are the subnet's.
	Snapshots Snapshots

	// state is nil on an empty canister.
	state *state
}

// Consumption is what a canister paid in its life, by use (interface
// specification, "IC method canister_metrics").
type Consumption struct {
	Memory, Compute, Ingress, Instructions, Transmission, Uninstall, Creation, Outcalls, Burned cycles.Amount
}

// QueryStats are the statistics of the query calls to a canister.
type QueryStats struct {
	Calls, Instructions, RequestBytes, ResponseBytes uint64
}

// Add adds what other queries count.
func (s *QueryStats) Add(more *QueryStats) {
	s.Calls += more.Calls
	s.Instructions += more.Instructions
	s.RequestBytes += more.RequestBytes
	s.ResponseBytes += more.ResponseBytes
}

// Usage is the memory a canister uses, in bytes (interface specification, "IC
// method canister_status", memory_metrics).
type Usage struct {
	Heap, Stable, Globals, Binary, Custom, History, Chunks, Snapshots, Logs uint64
}

// Total is memory_size.
func (u Usage) Total() uint64 {
	return u.Heap + u.Stable + u.Globals + u.Binary + u.Custom + u.History + u.Chunks + u.Snapshots + u.Logs
}

// New is an empty canister, running, without cycles.
func New(id principal.Principal, now uint64, settings Settings) *Canister {
	return &Canister{ID: id, Created: now, Status: Running, Settings: &settings}
}

// Module is the installed module, nil on an empty canister.
func (c *Canister) Module() *Module {
	if c.state == nil {
		return nil
	}
	return c.state.module
}

// MemoryUsage is the memory the canister uses. While a message is paused it is what it was
// before the message.
func (c *Canister) MemoryUsage() Usage {
	u := c.overhead()
	if s := c.state; s != nil {
		s.module.measure(&u, s.heap, uint64(s.pages))
	} else {
		u.Logs = 0
	}
	return u
}

// overhead is what a canister with code uses beside its code and its memories.
func (c *Canister) overhead() Usage {
	return Usage{
		History: c.History.Bytes(), Chunks: c.Chunks.Bytes(), Snapshots: c.Snapshots.Bytes(), Logs: logBytes(c.Settings.LogMemoryLimit),
	}
}

// usage is the memory used with the memories of a runner as they are now.
func (c *Canister) usage(r *runner) Usage {
	u := c.overhead()
	r.module.measure(&u, r.guest.MemorySize(), r.stable.Size())
	return u
}

// FreezingLimit is the balance under which the canister is frozen.
func (c *Canister) FreezingLimit(sub *Subnet) cycles.Amount {
	return c.freezingLimit(sub, c.MemoryUsage().Total())
}

func (c *Canister) freezingLimit(sub *Subnet, memory uint64) cycles.Amount {
	return sub.Fees.FreezingLimit(c.holdings(memory), c.Settings.FreezingThreshold, c.Reserved)
}

func (c *Canister) holdings(memory uint64) cycles.Holdings {
	return cycles.HoldingsOf(memory, c.Settings.MemoryAllocation, c.MessageBytes, c.Settings.ComputeAllocation)
}

// Holdings are what the canister pays for as time goes by.
func (c *Canister) Holdings() cycles.Holdings { return c.holdings(c.MemoryUsage().Total()) }

// Liquid is what the canister may spend: the balance above the freezing limit.
func (c *Canister) Liquid(sub *Subnet) cycles.Amount { return c.Balance.Sub(c.FreezingLimit(sub)) }

// Uninstall removes the code with its memories, certified data, chunk store, logs
// and timer (interface specification, "IC method uninstall_code"). Version, history
// and open call contexts are the caller's business. It does nothing to an empty
// canister but clear chunks and logs.
func (c *Canister) Uninstall() {
	c.empty()
	c.Certified, c.Timer, c.Installed, c.Features = nil, 0, 0, 0
	c.Chunks.Clear()
	c.Logs.Clear()
}

// Close deletes the Wasm state and the snapshots: the canister is empty afterwards.
func (c *Canister) Close() {
	c.empty()
	c.Snapshots.Clear()
}

func (c *Canister) empty() {
	if c.state != nil {
		c.state.close(false)
		c.state = nil
	}
}
