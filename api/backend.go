package api

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// Backend is a front end's view of a network. All methods may be called from any goroutine.
type Backend interface {
	// View returns the state at the end of the last round; nil if there is none (yet, or any more).
	View() View

	// Clock returns the present times of the network's clock and its clients'.
	Clock() Clock

	// Submit submits a message with a checked signature. The error is a refusal (Answer gives its status; Stopped if
	// the instance has stopped) or ctx's; then nothing happened. A crash may undo the message: clients must not be told
	// of the receipt before Settle returns.
	Submit(ctx context.Context, in *Ingress) (Receipt, error)

	// SubmitAwaited is Submit for a client that then waits for the answer. Pending is nil unless the message is accepted.
	SubmitAwaited(ctx context.Context, in *Ingress) (Receipt, Pending, error)

	// Settle returns when no crash can undo what happened before, or with ctx's error, or with a refusal (Stopped).
	Settle(ctx context.Context) error

	// Delivered says that a client has the answer to a message, in a response of so many bytes: the network may drop large
	// answers that clients have.
	Delivered(subnet principal.Principal, id RequestID, bytes int)

	// Query executes a query call on the state of the last round. The errors are as in Submit.
	Query(ctx context.Context, q *Query) (QueryResult, error)
}

// Pending is an accepted message, with its client's place among those who wait for the answer.
type Pending interface {
	// Answer returns the answer when View shows it and no crash can undo that, or ctx's error, or a refusal (Stopped). It
	// must be called once. ctx ends no later than that of SubmitAwaited.
	Answer(ctx context.Context) (IngressAnswer, error)
}

// Clock is one moment on two clocks, in nanoseconds since 1970.
type Clock struct {
	Now  uint64 // the network's own time
	Wall uint64 // the wall clock; requests of clients that know no other time expire by it
}

// Ahead returns how far the network's time is ahead of the wall clock's, in nanoseconds; it is negative if it is
// behind.
func (c Clock) Ahead() int64 { return int64(c.Now - c.Wall) }

// View is the state of a network at one height. The certified state never changes; Request and Private may already show
// later rounds. It may be read from any goroutine.
type View interface {
	// Height returns the number of rounds.
	Height() uint64
	// RootKey returns the public key of the root subnet, in DER form.
	RootKey() []byte
	// Root returns the id of the root subnet.
	Root() principal.Principal
	// Host returns the subnet that hosts a canister id, whether the canister exists or not.
	Host(canister principal.Principal) (subnet principal.Principal, ok bool)
	// DefaultCanister returns the canister id that represents the network if a request names no canister.
	DefaultCanister() principal.Principal
	// Certified returns the certified state of a subnet, nil if the subnet does not exist.
	Certified(subnet principal.Principal) *certify.SignedState
	// Delegation returns the root subnet's delegation to a subnet, nil for the root subnet itself.
	Delegation(subnet principal.Principal, layout certify.RangesLayout) *certify.Delegation
	// Dated returns the view as certified for clients with another clock: the same state with a time that is later by
	// so many nanoseconds, or earlier if by is negative.
	Dated(by int64) View
	// Request returns the sender and the receivers of a request, and false if the id is unknown.
	Request(subnet principal.Principal, id RequestID) (sender, receiver, effective principal.Principal, ok bool)
	// Private reports whether a canister has a section of this name that only its controllers may read.
	Private(canister principal.Principal, section string) bool
	// NodeKey returns the key of the node that answers a subnet's queries.
	NodeKey(subnet principal.Principal) *certify.NodeKey
}
