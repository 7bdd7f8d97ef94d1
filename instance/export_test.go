package instance

import (
	"time"

	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Constants for tests.
const (
	EventShare = eventShare
	QueryTime  = queryTime
	Tick       = tick

	RootInterval = rootInterval
)

// ValidName reports whether an instance may have a name.
func ValidName(name string) bool { return validInstanceName(name) }

// Reserve keeps a name for an instance that is being made.
func (r *Registry) Reserve(to *Placement) (string, error) {
	return r.directory.reserve(to, r.keptIn(to, to.Name) != "")
}

// Ticks returns how many instances the schedule visits in a time without events.
func (r *Registry) Ticks(within time.Duration) (ticks int) {
	r.schedule.mu.Lock()
	defer r.schedule.mu.Unlock()
	soon := r.config.Wall().Add(within)
	for _, a := range r.schedule.queue {
		if a.at.Before(soon) {
			ticks++
		}
	}
	return ticks
}

// SubnetsOf returns the subnets that an instance is made with.
func (r *Registry) SubnetsOf(spec *Spec) []replica.SubnetConfig { return r.subnetsOf(spec) }

// Paced returns the mode by which the wall clock drives the instance, also while its pacing changes.
func (i *Instance) Paced() PacingMode { return i.backend.pacing.Load().Mode }

// Budget returns the memory budget of the instance.
func (i *Instance) Budget() *budget.Budget { return i.memory }

// EventBytes returns how many bytes of events an instance with a budget remembers.
func EventBytes(memory *budget.Budget) int {
	r := &Registry{}
	return r.nodeConfig(&Instance{memory: memory}, Pacing{}).EventBytes
}

// BackendOf returns a backend for a driver of a mode, with its own wall clock.
func BackendOf(d *driver.Driver, mode PacingMode, wall func() time.Time) *Backend {
	b := newBackend(d, &clock{wall: wall})
	b.pacing.Store(&Pacing{Mode: mode})
	return b
}
