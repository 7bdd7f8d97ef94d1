package instance

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon/systemcanisters"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// installSystemCanisters installs system canisters in an instance that others cannot find yet.
func (i *Instance) installSystemCanisters(ctx context.Context, names []systemcanisters.Name) error {
	if len(names) == 0 {
		return nil
	}
	return systemcanisters.Install(ctx, installation{i.node}, names)
}

// installation is a node in which system canisters are installed.
type installation struct{ *node.Node }

// CallManagement hands a call in, and runs rounds until it is answered.
func (n installation) CallManagement(ctx context.Context, sender, canister principal.Principal, method string, arg []byte) ([]byte, error) {
	host := n.View().SubnetOf(canister)
	if host == nil {
		return nil, fmt.Errorf("the canister id %s is of none of the network's subnets", canister)
	}
	id := n.FreshID(sender, principal.Management, method)
	receipt, err := n.Submit(ctx, &replica.Ingress{
		ID: id, Sender: sender, Receiver: principal.Management, Effective: canister, Method: method, Arg: arg,
		Expiry: n.View().Time + systemCallExpiry, Size: len(arg), AnyExpiry: true, AnySize: true,
	})
	switch {
	case err != nil:
		return nil, err
	case receipt.Reject != nil:
		return nil, fmt.Errorf("%s was rejected: %s", method, receipt.Reject.Message())
	}
	var answer replica.IngressAnswer
	rounds := 0
	_, err = n.Drive(ctx, func(network *replica.Network) node.Next {
		answer, _ = network.IngressAnswer(host.ID, id)
		switch {
		case answer.Status.Terminal() || rounds == systemCallRounds:
			return node.Stop
		case network.Outside().Compiling > 0 && !network.Activity().Pressing:
			return node.Linger
		}
		rounds++
		return node.Go
	})
	switch {
	case err != nil:
		return nil, err
	case answer.Reject != nil:
		return nil, fmt.Errorf("%s was rejected: %s", method, answer.Reject.Message())
	case !answer.Status.Terminal():
		return nil, fmt.Errorf("%s has no answer after %d rounds", method, systemCallRounds)
	}
	return answer.Reply, nil
}
