package instance

import (
	"time"

	"github.com/canisterd/canisterd/daemon/systemcanisters"
	"github.com/canisterd/canisterd/replica"
)

// Default is the name of the instance a daemon is started with, and the one that the empty
// name means.
const Default = "default"

// Genesis is the time at which instances that are paced by hand begin, in nanoseconds:
// 2021-05-06T19:17:10Z, as PocketIC's do.
const Genesis = 1_620_328_630_000_000_000

// Spec says what an instance is made of. It was not checked.
type Spec struct {
	Placement
	Subnets []replica.SubnetConfig // none: a root subnet and an application subnet
	Seed    *[32]byte              // nil: one that is drawn
	Start   uint64                 // ns, time before the first round; 0: the wall clock's, or Genesis in mode Manual
	Pacing  Pacing
	// RateLimits limits how much memory canisters change and how often they are installed, on
	// subnets that do not say NoRateLimits; false: as the daemon was started.
	RateLimits bool
	// Outcalls is the handling of outcalls; nil: as the daemon was started.
	Outcalls *OutcallMode
	Reach    OutcallReach // zero: as the daemon was started
	StateDir string       // absolute; "": memory
	// Journal is the state directory, absolute: everything survives the process, and an instance that is there goes on.
	// "": nothing survives.
	Journal string
	// SliceInstructions and RoundInstructions are how long a message runs before it waits for the
	// next round, and how many instructions a subnet runs in a round; 0: as instances have them.
	SliceInstructions, RoundInstructions uint64
	// SystemCanisters are installed before others find the instance; subnets that they need are added.
	SystemCanisters []systemcanisters.Name
}

// ForkSpec says what an instance is to be a fork of.
type ForkSpec struct {
	Placement
	Source   string    // instance
	Snapshot string    // of it; "": its present
	At       *Moment   // a past state of it, which its journal has; nil: its present
	Pacing   *Pacing   // nil: as the source's
	Reseed   *[32]byte // what its randomness goes on from; nil: as the source's
}

// ImportSpec says what an instance has beside what is in its file.
type ImportSpec struct {
	Placement
	Pacing   Pacing
	Outcalls *OutcallMode // nil: as the daemon was started
	Reach    OutcallReach // zero: as the daemon was started
	StateDir string       // absolute; "": memory
}

// Placement is how an instance is found and how long it lives.
type Placement struct {
	Name   string // "": one that is free
	Listen string // host:port of a public interface of its own; "": none
	Lease  string // "": none
	// Ephemeral ends with the process, also where the registry has a state directory. So does an instance with a lease.
	Ephemeral bool
}

// About is what is known of an instance beside its network.
type About struct {
	Created    time.Time // by the wall clock
	ForkedFrom string    // instance, or instance@snapshot
	URLs       []string  // of its public interface, the one of its own first
	Outcalls   OutcallMode
	Reach      OutcallReach
	Seed       [32]byte
	StateDir   string
	Journal    string // its state directory; "" for an instance that ends with the process
	Lease      string
}

// Ancestor is a network that another one goes on from, as it was at a height.
type Ancestor struct {
	NetworkID string
	Height    uint64
}

// Snapshot is what is known of a state that was kept.
type Snapshot struct {
	Name      string
	Taken     time.Time // by the wall clock
	Time      uint64    // ns, of the network
	Height    uint64
	Canisters int
}
