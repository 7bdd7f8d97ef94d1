package daemon

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/canisterd/canisterd/internal/budget"
)

// memory is the daemon's budget. It also returns memory to the system.
type memory struct {
	limit    int64          // of the process, in bytes
	daemon   *budget.Budget // everything below
	requests *budget.Budget // for what the HTTP interface reads and sends
	control  *budget.Budget // for the control API
}

// LimitProcess sets the limit above which the Go runtime collects garbage more often, 0 for the default of
// Config.MemoryLimit. The limit is the process's, not a daemon's: a program that is a daemon calls it once, a program
// with several daemons decides itself.
func LimitProcess(limit int64) {
	if limit == 0 {
		limit = defaultLimit()
	}
	if limit < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(limit)
	}
}

// defaultLimit is half of the memory the process may use.
func defaultLimit() int64 { return availableMemory(os.DirFS("/")) / 2 }

// newMemory makes the budgets for a limit, 0 for half of the memory the process may use.
func newMemory(limit int64) memory {
	if limit == 0 {
		limit = defaultLimit()
	}
	daemon := budget.New("the daemon", limit/dataShare)
	return memory{
		limit: limit, daemon: daemon,
		requests: daemon.Child("requests being read and answered", limit/requestShare),
		control:  daemon.Child("messages of the control API", limit/requestShare),
	}
}

// instance returns the budget of an instance.
func (m *memory) instance(name string) *budget.Budget {
	return m.daemon.Child("instance "+name, m.limit/instanceShareOf*instanceShare)
}

// events returns how many bytes the events of all instances may take.
func (m *memory) events() int64 { return m.daemon.Limit() / eventShare }

// pocketClients returns the budget for what clients of PocketIC's interface send, and for what is kept for them.
func (m *memory) pocketClients() *budget.Budget {
	return m.daemon.Child("bodies and blobs of PocketIC's clients", m.limit/instanceShareOf*instanceShare)
}

// giveBack returns memory to the system until ctx ends: the Go runtime keeps it for minutes. It does so when the load has
// ended, or the budgets show that much was freed. Before that, evict evicts canisters that were idle since its last call,
// and returns their number.
func (m *memory) giveBack(ctx context.Context, evict func() int) {
	var r reclaimer
	tick := time.NewTicker(reclaimInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if r.evicts() {
			r.evicted += evict()
		}
		if r.due(m.daemon.Used(), sampleMemory()) {
			runtime.GC() // a sync.Pool is emptied after two collections
			debug.FreeOSMemory()
			r.reclaimed(m.daemon.Used(), sampleMemory())
		}
	}
}

// memorySample is the memory statistics of the Go runtime.
type memorySample struct {
	resident  int64 // bytes taken from the system and not given back
	allocated int64 // bytes ever allocated
}

func sampleMemory() memorySample {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(samples)
	at := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	return memorySample{resident: at(0) - at(1), allocated: at(2)}
}

// reclaimer decides when memory is returned to the system.
type reclaimer struct {
	peak  int64        // most bytes of the budgets in use since memory was last returned
	floor int64        // resident bytes at that time
	last  memorySample // of the previous tick
	rest  int          // ticks until memory may be returned again
	ticks int
	// evicted is the number of canisters that were evicted since memory was last returned.
	evicted int
}

// evicts is called at each tick, and reports whether to evict idle canisters.
func (r *reclaimer) evicts() bool {
	r.ticks++
	return r.ticks%evictTicks == 0
}

// due is called at each tick, and reports whether to return memory.
func (r *reclaimer) due(used int64, now memorySample) bool {
	idle := now.allocated-r.last.allocated < idleAllocation
	r.last, r.peak = now, max(r.peak, used)
	if r.floor == 0 {
		r.floor = now.resident
	}
	if r.rest > 0 {
		r.rest--
		return false
	}
	many := now.resident-r.floor > reclaimBytes || int64(r.evicted)*residentBytes > reclaimBytes
	return idle && many || r.peak-used > reclaimBytes && used < r.peak/2
}

// reclaimed records that memory was returned.
func (r *reclaimer) reclaimed(used int64, now memorySample) {
	r.peak, r.floor, r.last, r.rest, r.evicted = used, now.resident, now, reclaimRest, 0
}

// availableMemory returns the memory that the process may use: the machine's or its control group's, whichever is less.
// root is the file system.
func availableMemory(root fs.FS) int64 {
	available := int64(defaultMemory)
	if text, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		var kilobytes int64
		if n, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kilobytes); err == nil && n == 1 {
			available = kilobytes << 10
		}
	}
	for _, file := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			continue
		}
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
			available = min(available, limit)
		}
	}
	return max(available, 2*MinMemoryLimit)
}
