package node

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/replica"
)

// Journal keeps the records of a network. The owner of the network calls Record and Rebase, any goroutine Position and
// Sync.
type Journal interface {
	replica.Journal
	// Position returns the number of records.
	Position() uint64
	// Sync returns when the records before a position are on disk, or with ctx's error. After any other error the
	// journal keeps no more records.
	Sync(ctx context.Context, position uint64) error
	// Rebase keeps a network from which the next records continue. It is on disk when Rebase returns.
	Rebase(network *replica.Network) error
}

// Settle returns when everything that happened before the call is on disk, at once if the node has no journal. If its
// journal fails, a node stops: its later changes could be lost.
func (n *Node) Settle(ctx context.Context) error {
	if n.config.Journal == nil {
		return nil
	}
	position := n.config.Journal.Position()
	err := n.sync(ctx, position)
	if err == nil {
		raise(&n.told, position)
	}
	return err
}

// sync returns when the records before a position are on disk.
func (n *Node) sync(ctx context.Context, position uint64) error {
	err := n.config.Journal.Sync(ctx, position)
	if err != nil && ctx.Err() == nil {
		n.halt(err)
		return n.stopped()
	}
	return err
}

// halt stops the node because its journal fails.
func (n *Node) halt(failure error) {
	err := fmt.Errorf("%w, because its journal fails: %w", ErrClosed, failure)
	if n.bug.CompareAndSwap(nil, &err) && n.config.Failed != nil {
		n.config.Failed(err)
	}
	n.close()
}

// rebase keeps the network that replaces the present one.
func (n *Node) rebase(next *replica.Network) {
	if n.config.Journal == nil {
		return
	}
	if err := n.config.Journal.Rebase(next); err != nil {
		n.halt(err)
	}
}
