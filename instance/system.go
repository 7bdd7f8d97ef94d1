package instance

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// installSystemCanisters installs system canisters in an instance that others cannot find yet.
func (i *Instance) installSystemCanisters(ctx context.Context, f *startConfig) error {
	if len(f.system) == 0 {
		return nil
	}
	f.modules.Found = func(name systemcanisters.Name, file string, hash [32]byte) {
		i.log.Info("a published module is installed", "canister", name, "file", file, "sha256", hex.EncodeToString(hash[:]))
	}
	return systemcanisters.Install(ctx, installation{i.driver}, f.system, &f.modules)
}

// installation is a driver in which system canisters are installed.
type installation struct{ *driver.Driver }

// Call submits a call, and runs rounds until it is answered.
func (n installation) Call(ctx context.Context, call *systemcanisters.Call) ([]byte, error) {
	host, method := n.View().SubnetOf(call.Effective), call.Method
	if host == nil {
		return nil, fmt.Errorf("the canister id %s is of none of the network's subnets", call.Effective)
	}
	id := n.FreshID(call.Sender, call.Receiver, method)
	receipt, err := n.Submit(ctx, &replica.Ingress{
		ID: id, Sender: call.Sender, Receiver: call.Receiver, Effective: call.Effective, Method: method, Arg: call.Arg,
		Expiry: n.Time() + systemCallExpiry, Size: len(call.Arg), AnyExpiry: true, AnySize: true,
	})
	switch {
	case err != nil:
		return nil, err
	case receipt.Reject != nil:
		return nil, fmt.Errorf("%s was rejected: %s", method, receipt.Reject.Message())
	}
	var answer replica.IngressAnswer
	rounds := driver.AtMost(systemCallRounds)
	_, err = n.RunRounds(ctx, func(network *replica.Network) driver.Next {
		answer, _ = network.IngressAnswer(host.ID, id)
		switch {
		case answer.Status.Terminal():
			return driver.Stop
		case n.Present() == driver.Linger:
			return driver.Linger
		case rounds.Take(network):
			return driver.Go
		}
		return driver.Stop
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
