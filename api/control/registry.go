package control

import (
	"context"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// DefaultInstance is the name of the instance a daemon is started with, and the one
// that the empty name means.
const DefaultInstance = "default"

// Genesis is the time at which instances that are paced by hand begin, in
// nanoseconds: 2021-05-06T19:17:10Z, as PocketIC's do.
const Genesis = 1_620_328_630_000_000_000

// Registry is the instances of a daemon. It is safe for concurrent use; its errors
// are refusals, those of contexts, or unexpected.
type Registry interface {
	// Instance is the instance with a name; "" is the default one. The error is a
	// refusal for InstanceUnknown.
	Instance(name string) (Instance, error)
	// Instances are all instances by name.
	Instances() []Instance
	// Create makes an instance, which runs when it returns.
	Create(ctx context.Context, spec *Spec) (Instance, error)
	// Fork makes an instance that goes on from the present of another, or from one of
	// its snapshots.
	Fork(ctx context.Context, spec *ForkSpec) (Instance, error)
	// Import makes an instance of a file. An error of the file is an *archive.Fault.
	Import(ctx context.Context, spec *ImportSpec, file io.Reader) (Instance, error)
	// Delete ends an instance and gives back everything it has.
	Delete(name string) error
	// Lease is a new lease; end deletes the instances that are bound to it.
	Lease() (id string, end func())
}

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
	// Outcalls is what becomes of outcalls; nil: as the daemon was started.
	Outcalls *OutcallMode
	Reach    OutcallReach // zero: as the daemon was started
	StateDir string       // absolute; "": memory
}

// ForkSpec says what an instance is to be a fork of.
type ForkSpec struct {
	Placement
	Source   string    // instance
	Snapshot string    // of it; "": its present
	Pacing   *Pacing   // nil: as the source's
	Reseed   *[32]byte // what its chance goes on from; nil: as the source's
}

// ImportSpec says what an instance has beside what is in its file.
type ImportSpec struct {
	Placement
	Pacing   Pacing
	Outcalls *OutcallMode // nil: as the daemon was started
	Reach    OutcallReach // zero: as the daemon was started
	StateDir string       // absolute; "": memory
}

// Snapshot is what is known of a state that was kept.
type Snapshot struct {
	Name      string
	Taken     time.Time // by the wall clock
	Time      uint64    // ns, of the network
	Height    uint64
	Canisters int
}

// Placement is how an instance is found and how long it lives.
type Placement struct {
	Name       string // "": one that is free
	HTTPListen string // host:port of an HTTP interface of its own; "": none
	Lease      string // "": none
}

// OutcallMode says what becomes of the HTTP outcalls that canisters make.
type OutcallMode uint8

const (
	// AllowOutcalls makes the requests, https or http.
	AllowOutcalls OutcallMode = iota
	// HoldOutcalls keeps them for a client to answer; what is not answered within a
	// minute of the network's time is rejected.
	HoldOutcalls
	// DenyOutcalls rejects them at once.
	DenyOutcalls
	// StrictOutcalls makes the requests that mainnet makes: only https, otherwise as
	// ReplicatedOutcalls.
	StrictOutcalls
	// ReplicatedOutcalls makes the requests, https or http: those that all nodes of a subnet
	// make and that change nothing (GET and HEAD) once for each node.
	ReplicatedOutcalls

	// LastOutcalls is the last mode.
	LastOutcalls = ReplicatedOutcalls
)

var outcallModes = [...]string{"allow", "hold", "deny", "strict", "replicated"}

// String is the name on the command line.
func (o OutcallMode) String() string { return outcallModes[o] }

// OutcallReach says which servers of this machine and its networks outcalls may reach. They
// may reach all other servers.
type OutcallReach struct {
	Local   bool     // all of them
	Targets []string // these: host:port, host, or a prefix of addresses such as 10.0.0.0/8
}

// IsZero reports whether they may reach none of them.
func (r OutcallReach) IsZero() bool { return !r.Local && len(r.Targets) == 0 }

// About is what is known of an instance beside its network.
type About struct {
	Created    time.Time // by the wall clock
	ForkedFrom string    // instance, or instance@snapshot
	URLs       []string  // of its HTTP interface, the one of its own first
	Outcalls   OutcallMode
	Reach      OutcallReach
	Seed       [32]byte
	StateDir   string
	Lease      string
}

// Ancestor is a network that another one goes on from, as it was at a height.
type Ancestor struct {
	NetworkID string
	Height    uint64
}

// Instance is one network with what drives it. It is safe for concurrent use. One
// that was deleted meanwhile answers node.ErrClosed.
type Instance interface {
	Name() string
	// Node owns the network: it is for test controls.
	Node() *node.Node
	// Backend brings the wall clock in: it is for what users send.
	Backend() api.Backend
	About() About
	// Lineage is the random id of the network, in hex, which a restore replaces, and the
	// networks it goes on from, the oldest first.
	Lineage() (id string, ancestors []Ancestor)
	// Pacing says when rounds happen; SetPacing changes it.
	Pacing() Pacing
	SetPacing(ctx context.Context, pacing Pacing) error
	// Offset is how far the instance's time is ahead of the wall clock's, which moves
	// it; it says nothing where pacing is Manual.
	Offset() time.Duration
	// PutAhead makes the offset at least so much. Who owns the network calls it,
	// and moves the network's own time in the same turn.
	PutAhead(offset time.Duration)

	// TakeSnapshot keeps the present under a name, "" for one that is free, in the
	// place of another of that name if replace is set.
	TakeSnapshot(ctx context.Context, name string, replace bool) (Snapshot, error)
	// Snapshots are all snapshots by name.
	Snapshots() []Snapshot
	DeleteSnapshot(name string) error
	// Restore lets the instance go on from a snapshot.
	Restore(ctx context.Context, snapshot string) error
	// Frozen is a fork of a snapshot, or of the present (""): a network that sleeps
	// and is the caller's, who closes it.
	Frozen(ctx context.Context, snapshot string) (*replica.Network, error)
}

// PacingMode is when rounds happen and how time moves.
type PacingMode uint8

// The modes.
const (
	Auto     PacingMode = iota // a round as soon as there is work, at the time of the wall clock and the offset
	Manual                     // only when a client says so; time stands still meanwhile
	Interval                   // a round every interval, at the time of the wall clock and the offset
)

// Pacing is a mode and, for Interval, the time between two rounds.
type Pacing struct {
	Mode     PacingMode
	Interval time.Duration
}

// Check is a refusal for BadPacing where there is no such pacing.
func (p Pacing) Check() error {
	switch {
	case p.Mode > Interval:
		return BadPacing.Refuse(fmt.Sprintf("there is no pacing mode %d: rounds happen by themselves (auto), by hand (manual) or at an interval", p.Mode))
	case p.Mode == Interval && (p.Interval < MinInterval || p.Interval > MaxInterval):
		return BadPacing.Refuse(fmt.Sprintf("the interval between two rounds is %s: it may be from %s to %s", p.Interval, MinInterval, MaxInterval))
	}
	return nil
}

// Reasons of the registry.
var (
	// InstanceUnknown takes the name.
	InstanceUnknown = reason("INSTANCE_UNKNOWN", codes.NotFound, "there is no instance %q: ListInstances says which there are", "instance")
	// InstanceExists takes the name.
	InstanceExists = reason("INSTANCE_EXISTS", codes.AlreadyExists, "there is an instance %q: take another name, delete it, or leave the name to the daemon", "instance")
	// TooManyInstances takes the limit.
	TooManyInstances = reason("TOO_MANY_INSTANCES", codes.ResourceExhausted, "the daemon has %d instances, which is the most it has: delete some, or bind them to leases", "limit")
	// BadTopology takes what is wrong with it.
	BadTopology = reason("BAD_TOPOLOGY", codes.InvalidArgument, "subnets are of no network: %v")
	// BadFolder takes the folder and what is wrong with it.
	BadFolder = reason("BAD_FOLDER", codes.FailedPrecondition, "state_dir %q cannot be used: %v", "state_dir")
	// BadAddress takes the address and what is wrong with it.
	BadAddress = reason("BAD_ADDRESS", codes.FailedPrecondition, "http_listen %q cannot be used: %v", "http_listen")
	// LeaseUnknown takes the lease.
	LeaseUnknown = reason("LEASE_UNKNOWN", codes.NotFound, "there is no lease %q: it has ended, or was never given; HoldLease gives one", "lease")
	// SnapshotUnknown takes the instance and the snapshot.
	SnapshotUnknown = reason("SNAPSHOT_UNKNOWN", codes.NotFound, "instance %q has no snapshot %q: ListSnapshots says which it has", "instance", "snapshot")
	// SnapshotExists takes the instance and the snapshot.
	SnapshotExists = reason("SNAPSHOT_EXISTS", codes.AlreadyExists, "instance %q has a snapshot %q: set replace, or take another name", "instance", "snapshot")
	// TooManySnapshots takes the instance and the limit.
	TooManySnapshots = reason("TOO_MANY_SNAPSHOTS", codes.ResourceExhausted, "instance %q has %d snapshots, which is the most an instance has: delete some", "instance", "limit")
	// BadPacing takes what is wrong with it.
	BadPacing = reason("BAD_PACING", codes.InvalidArgument, "%s")
)
