package instance

import (
	"time"

	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
)

// Default is the name of the instance that a daemon starts with. The empty name means it.
const Default = "default"

// Genesis is the time at which instances that are paced by hand begin, in nanoseconds:
// 2021-05-06T19:17:10Z, as PocketIC's do.
const Genesis = 1_620_328_630_000_000_000

// Spec specifies an instance. It may be invalid.
type Spec struct {
	Placement
	Subnets []replica.SubnetConfig // none: a root subnet and an application subnet
	Seed    *[32]byte              // nil: random
	Start   uint64                 // ns, time before the first round; 0: the wall clock's, or Genesis in mode Manual
	Pacing  Pacing
	// RateLimits limits how much memory canisters change and how often they are installed, on subnets without
	// NoRateLimits; false: as the daemon was started.
	RateLimits bool
	// Outcalls is the handling of outcalls; nil: as the daemon was started.
	Outcalls *OutcallMode
	Reach    OutcallReach // zero: as the daemon was started
	StateDir string       // absolute; "": memory
	// Journal is the absolute path of the state directory: everything survives the process, and an instance in it
	// continues. "": nothing survives.
	Journal string
	// SliceInstructions and RoundInstructions limit how long a message runs before it waits for the next round, and how
	// many instructions a subnet runs in a round; 0: the default.
	SliceInstructions, RoundInstructions uint64
	// SystemCanisters are installed before others find the instance; the subnets that they need are added.
	SystemCanisters []systemcanisters.Name
}

// ForkSpec specifies a fork of an instance.
type ForkSpec struct {
	Placement
	Source   string    // instance
	Snapshot string    // of it; "": its present
	At       *Moment   // a past state in its journal; nil: its present
	Pacing   *Pacing   // nil: as the source's
	Reseed   *[32]byte // new seed of its randomness; nil: as the source's
}

// ImportSpec specifies what an instance has besides the content of its file.
type ImportSpec struct {
	Placement
	Pacing   Pacing
	Outcalls *OutcallMode // nil: as the daemon was started
	Reach    OutcallReach // zero: as the daemon was started
	StateDir string       // absolute; "": memory
}

// Placement is how an instance is found and how long it lives.
type Placement struct {
	Name   string // "": a free one
	Listen string // host:port of its own public interface; "": none
	Lease  string // "": none
	// Ephemeral ends with the process, even if the registry has a state directory. So does an instance with a lease.
	Ephemeral bool
}

// About describes an instance, without its network.
type About struct {
	Created    time.Time // by the wall clock
	ForkedFrom string    // instance, or instance@snapshot
	URLs       []string  // of its public interface, its own first
	Outcalls   OutcallMode
	Reach      OutcallReach
	Seed       [32]byte
	StateDir   string
	Journal    string // its state directory; "" for an instance that ends with the process
	Lease      string
}

// Ancestor is the state of a network at a height from which another one continues.
type Ancestor struct {
	NetworkID string
	Height    uint64
}

// Snapshot describes a saved state.
type Snapshot struct {
	Name      string
	Taken     time.Time // by the wall clock
	Time      uint64    // ns, of the network
	Height    uint64
	Canisters int
}
