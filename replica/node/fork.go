package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/replica"
)

// ErrRestored is the error for callers that wait for the answer to a message, or answer an outcall, that the node no
// longer knows: it was restored to another state.
var ErrRestored = errors.New("the instance was restored to a state that does not know this request")

// ErrForeign means that a network belongs to another engine than the node that should run it.
var ErrForeign = errors.New("the network belongs to another engine")

// Snapshot returns a sleeping fork of the node's network: it costs no goroutine, and no heap until one of the two
// changes it. The caller closes it; it is not safe for concurrent use. The instructions of past queries count in both.
// ctx is checked before the node's turn, not while waiting for it.
func (n *Node) Snapshot(ctx context.Context, config replica.ForkConfig) (snapshot *replica.Network, err error) {
	err = n.turnOf(ctx, func(n *Node) {
		n.countNow()
		snapshot = n.network.Fork(config)
	})
	if err != nil && snapshot != nil {
		snapshot.Close()
		snapshot = nil
	}
	return snapshot, err
}

// turnOf is ask for operations that must not happen after their caller received an error.
func (n *Node) turnOf(ctx context.Context, do func(*Node)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := n.ask(context.Background(), do)
	if err != nil {
		<-n.ended
	}
	return err
}

// Fork makes a second node that continues from the present of this one, with its answers, messages in transit and
// clock. In mode Auto it continues at once, in mode Manual on request. The network of the configuration is ignored.
func (n *Node) Fork(ctx context.Context, config Config) (*Node, error) {
	snapshot, err := n.Snapshot(ctx, replica.ForkConfig{})
	if err != nil {
		return nil, err
	}
	return Wake(snapshot, config), nil
}

// Wake makes a node of a sleeping network, and owns it from then on. The network of the configuration is ignored.
func Wake(network *replica.Network, config Config) *Node {
	n := prepare(network.Engine(), config)
	n.owner.Lock() // a module may be ready at once
	defer n.owner.Unlock()
	n.network = network
	network.Wake(n.parts())
	n.views.Store(network.Views())
	n.announce()
	if n.busy() {
		n.poke()
	}
	go n.own()
	return n
}

// Restore replaces the node's network by a fork of a snapshot, which must use the node's engine and still belongs to
// its owner. The mode stays, the view jumps. Callers that wait for messages which the snapshot does not know get
// ErrRestored. Running queries end on the old state, which is closed after them. Events are numbered from the start, in
// another generation. ctx is as in Snapshot.
func (n *Node) Restore(ctx context.Context, snapshot *replica.Network) error {
	if snapshot.Engine() != n.engine {
		return fmt.Errorf("restore an instance: %w", ErrForeign)
	}
	next, taken := snapshot.Fork(replica.ForkConfig{}), false
	err := n.turnOf(ctx, func(n *Node) {
		taken = true
		n.replace(next)
	})
	if !taken {
		next.Close()
	}
	return err
}

// RestoreFrom is Restore to the present of another node.
func (n *Node) RestoreFrom(ctx context.Context, other *Node) error {
	snapshot, err := other.Snapshot(ctx, replica.ForkConfig{})
	if err != nil {
		return err
	}
	defer snapshot.Close()
	return n.Restore(ctx, snapshot)
}

// replace puts another network, which sleeps, in place of the present one.
func (n *Node) replace(next *replica.Network) {
	old, ended := n.network, n.generation
	n.rebase(next)
	n.compiler.forget()
	next.Wake(n.parts())
	n.recorder.restart()
	n.network, n.generation = next, &generation{number: ended.number + 1}
	if n.config.Restored != nil {
		n.config.Restored(next.Activity().Clock)
	}
	n.outcalls = next.OutcallsMade() + 1 // pending ones are announced in any case
	n.views.Store(next.Views())
	n.show(replica.RoundReport{})
	for id := range n.waiters {
		n.keep(id, func(w *waiter) bool { return !n.settleAfterRestore(w) })
	}
	n.retiring.Go(func() {
		ended.queries.Wait()
		n.contained(old.Close)
	})
}

// settleAfterRestore gives a waiting caller the answer that the new network knows. It returns false if the answer is
// still pending.
func (n *Node) settleAfterRestore(w *waiter) bool {
	switch status, shown := n.network.IngressShown(w.subnet, w.id); {
	case status == 0:
		w.err = fmt.Errorf("request %x: %w", w.id, ErrRestored)
	case !status.Terminal() || !shown:
		return false
	}
	w.tell()
	return true
}
