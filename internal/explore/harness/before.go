package harness

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// Prepare makes calls on a fork of a network, one after the other in FIFO order, and returns the fork. The error says
// which call got no reply. The caller must call done when no fork of the result is in use anymore.
func Prepare(base *replica.Network, before []Operation) (prepared *replica.Network, done func(), err error) {
	n, done := volatileFork(base)
	for i := range before {
		if err := call(n, i, before[i].Message); err != nil {
			done()
			return nil, nil, fmt.Errorf("%s, before the operations: %w", before[i].Title, err)
		}
	}
	return n, done, nil
}

// PrepareSome is Prepare for calls that may get no reply: such a call has no effect. It returns the positions of the others.
func PrepareSome(base *replica.Network, before []Operation) (prepared *replica.Network, replied []int, done func()) {
	n, closeFirst := volatileFork(base)
	all := []func(){closeFirst}
	for i := range before {
		next, closeNext := volatileFork(n)
		if err := call(next, len(replied), before[i].Message); err != nil {
			closeNext()
			continue
		}
		n, replied, all = next, append(replied, i), append(all, closeNext)
	}
	return n, replied, func() {
		for _, closeFork := range slices.Backward(all) {
			closeFork()
		}
	}
}

// volatileFork returns a fork of a network with a runner of its own.
func volatileFork(base *replica.Network) (n *replica.Network, done func()) {
	runner := new(replica.Coroutines)
	n = base.Fork(replica.ForkConfig{Parts: replica.Parts{Runner: runner}, Volatile: true})
	return n, func() { n.Close(); runner.Close() }
}

// call makes a call and delivers all that follows from it at the present time.
func call(n *replica.Network, number int, in replica.Ingress) error {
	in.ID = sha256.Sum256(fmt.Appendf(nil, "canisterd explore before %d", number+1))
	in.Expiry = n.Activity().Clock + replica.MaxIngressTTL
	switch result := n.Apply(&in); {
	case result.Refusal != nil:
		return result.Refusal
	case result.Reject != nil:
		return fmt.Errorf("the message is not accepted: %s", result.Reject)
	}
	for range maxBefore {
		if !n.Step(replica.FIFO{}) && len(n.NextDeliveries()) == 0 {
			break
		}
	}
	subnet, hosted := n.HostOf(in.Effective)
	if !hosted {
		return fmt.Errorf("its canister %s is gone", in.Effective)
	}
	switch a, known := n.IngressAnswer(subnet, in.ID); {
	case !known || !a.Status.Terminal():
		return fmt.Errorf("it is not answered")
	case a.Reject != nil && a.Reject.Error == intercanister.CanisterMethodNotFound:
		return fmt.Errorf("its canister has no method %s%s", in.Method, Instead(in.Method, Callable(n, in.Receiver)))
	case a.Reject != nil:
		return fmt.Errorf("it is rejected: %s", a.Reject)
	}
	return nil
}
