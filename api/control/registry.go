package control

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/replica/node"
)

// DefaultInstance is the name of the instance a daemon is started with, and the one
// that the empty name means.
const DefaultInstance = "default"

// Registry is the instances of a daemon. It is safe for concurrent use; its errors
// are refusals, those of contexts, or unexpected.
type Registry interface {
	// Instance is the instance with a name; "" is the default one. The error is a
	// refusal for InstanceUnknown.
	Instance(name string) (Instance, error)
	// Instances are all instances by name.
	Instances() []Instance
}

// Instance is one network with what drives it. It is safe for concurrent use. One
// that was deleted meanwhile answers node.ErrClosed.
type Instance interface {
	Name() string
	// Node owns the network: it is for powers.
	Node() *node.Node
	// Backend brings the wall clock in: it is for what users send.
	Backend() api.Backend
	// Pacing says when rounds happen; SetPacing changes it.
	Pacing() Pacing
	SetPacing(ctx context.Context, pacing Pacing) error
}

// PacingMode is when rounds happen and how time moves.
type PacingMode uint8

// The modes.
const (
	Auto     PacingMode = iota // a round as soon as there is work, at the time of the wall clock
	Manual                     // only when a client says so; time stands still meanwhile
	Interval                   // a round every interval, at the time of the wall clock
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
	// BadPacing takes what is wrong with it.
	BadPacing = reason("BAD_PACING", codes.InvalidArgument, "%s")
)
