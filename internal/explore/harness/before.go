package harness

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// Prepare makes calls on a fork of a network, one after the other in FIFO order, and returns the fork. The error says
// which call got no reply. Made is the number of calls that were made in the base in this way: two calls never have the same
// message id. The caller must call done when no fork of the result is in use anymore.
func Prepare(base *replica.Network, made int, before []Operation) (prepared *replica.Network, done func(), err error) {
	n, done := VolatileFork(base)
	for i := range before {
		if err := call(n, made+i, before[i].Message); err != nil {
			done()
			return nil, nil, fmt.Errorf("%s, before the operations: %w", before[i].Title, err)
		}
	}
	return n, done, nil
}

// Prepared is a network after some calls.
type Prepared struct {
	Network *replica.Network
	Replied []int     // positions of the calls that were replied to; the others have no effect
	Blocks  []*Blocks // that the calls ran, some of them several times; nil without Setup.Blocks
	forks   []func()
}

// Done frees the network, when no fork of it is in use anymore.
func (p *Prepared) Done() {
	for _, closeFork := range slices.Backward(p.forks) {
		closeFork()
	}
}

// PrepareSome is Prepare for calls that may get no reply.
func PrepareSome(setup *Setup, made int, before []Operation) *Prepared {
	p, recorder := new(Prepared), setup.newBlockRecorder()
	fork := func(of *replica.Network) (n *replica.Network, closeFork func()) {
		n, closeFork = VolatileFork(of)
		recorder.watch(n)
		return n, closeFork
	}
	n, closeFirst := fork(setup.Base)
	p.Network, p.forks = n, append(p.forks, closeFirst)
	for i := range before {
		next, closeNext := fork(p.Network)
		err := call(next, made+len(p.Replied), before[i].Message)
		p.Blocks = append(p.Blocks, recorder.takeAll()...)
		if err != nil {
			closeNext()
			continue
		}
		p.Network, p.Replied, p.forks = next, append(p.Replied, i), append(p.forks, closeNext)
	}
	return p
}

// VolatileFork returns a fork of a network with a runner of its own.
func VolatileFork(base *replica.Network) (n *replica.Network, done func()) {
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
