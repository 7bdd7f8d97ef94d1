package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
)

// Cover collects which code of canisters runs in messages that begin from now on, in what of returns for a canister, nil
// for nothing. Any goroutine calls of; nil: nothing is collected. It changes nothing that a network does, and is not part
// of its state.
func (n *Network) Cover(of func(id principal.Principal) canister.Collector) {
	n.covered = of
	n.observe()
}
