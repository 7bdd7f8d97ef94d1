package control

import (
	"context"
	"io"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// Registry is the instances of a daemon. It is safe for concurrent use; its errors
// are refusals, those of contexts, or unexpected.
type Registry interface {
	// Instance is the instance with a name; "" is the default one. The error is a
	// refusal for instance.UnknownInstance.
	Instance(name string) (Instance, error)
	// Instances are all instances by name.
	Instances() []Instance
	// Create makes an instance, which runs when it returns.
	Create(ctx context.Context, spec *instance.Spec) (Instance, error)
	// Fork makes an instance that goes on from the present of another, or from one of
	// its snapshots.
	Fork(ctx context.Context, spec *instance.ForkSpec) (Instance, error)
	// Import makes an instance of a file. An error of the file is an *archive.Fault.
	Import(ctx context.Context, spec *instance.ImportSpec, file io.Reader) (Instance, error)
	// Delete ends an instance and gives back everything it has.
	Delete(name string) error
	// Lease is a new lease; end deletes the instances that are bound to it.
	Lease() (id string, end func())
}

// Instance is one network with what drives it. It is safe for concurrent use. One
// that was deleted meanwhile answers node.ErrClosed.
type Instance interface {
	Name() string
	// Node owns the network: it is for test controls.
	Node() *node.Node
	// Backend brings the wall clock in: it is for what users send.
	Backend() api.Backend
	About() instance.About
	// Lineage is the random id of the network, in hex, which a restore replaces, and the
	// networks it goes on from, the oldest first.
	Lineage() (id string, ancestors []instance.Ancestor)
	// Pacing says when rounds happen; SetPacing changes it.
	Pacing() instance.Pacing
	SetPacing(ctx context.Context, pacing instance.Pacing) error
	// Offset is how far the instance's time is ahead of the wall clock's, which moves
	// it; it says nothing where pacing is Manual.
	Offset() time.Duration
	// PutAhead makes the offset at least so much. Who owns the network calls it,
	// and moves the network's own time in the same turn.
	PutAhead(offset time.Duration)

	// TakeSnapshot keeps the present under a name, "" for one that is free, in the
	// place of another of that name if replace is set.
	TakeSnapshot(ctx context.Context, name string, replace bool) (instance.Snapshot, error)
	// Snapshots are all snapshots by name.
	Snapshots() []instance.Snapshot
	DeleteSnapshot(name string) error
	// Restore lets the instance go on from a snapshot.
	Restore(ctx context.Context, snapshot string) error
	// Frozen is a fork of a snapshot, or of the present (""): a network that sleeps
	// and is the caller's, who closes it.
	Frozen(ctx context.Context, snapshot string) (*replica.Network, error)
}
