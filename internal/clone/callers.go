package clone

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// MainnetURL is the address of the Internet Computer's HTTP interface.
const MainnetURL = "https://icp-api.io"

// MainnetKey returns the root key of the Internet Computer, in DER form.
func MainnetKey() []byte { return certify.MainnetRootKey() }

// Network is a network that is reached over the HTTP interface of the Internet Computer. All answers are verified.
type Network struct{ Client *client.Client }

// Call calls a method as the identity of the client. A network may drop the answer before a broken connection is there
// again: what only reads is then requested again.
func (n Network) Call(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	reply, err := n.Client.Call(ctx, principal.Management, canister, method, argument)
	for again := 0; again < droppedAnswers && errors.Is(err, client.ErrDone) && strings.HasPrefix(method, "read_"); again++ {
		reply, err = n.Client.Call(ctx, principal.Management, canister, method, argument)
	}
	if err != nil {
		return nil, fmt.Errorf("%s for %s: %w", method, canister, err)
	}
	return reply, nil
}

// Instance is an instance of a daemon, which is reached over the control API.
type Instance struct {
	Daemon *remote.Daemon
	Name   string // "" for the default one
	Sender string // "" for anonymous
}

// Call calls a method as the sender.
func (i Instance) Call(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	answer, err := i.Daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: i.Name, Call: &controlv1.Call{
		CanisterId: principal.Management.String(), Method: method, Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: argument}},
		Sender: i.Sender, ReplyForm: controlv1.Form_FORM_BYTES, EffectiveCanisterId: canister.String(),
	}})
	if err != nil {
		return nil, err
	}
	value, err := remote.Reply(answer.GetOutcome())
	if err != nil {
		return nil, &Rejected{method, err}
	}
	return value.GetBytes(), nil
}

// Rejected is the reject of a call of a method of the management canister.
type Rejected struct {
	Method string
	Reject error
}

// Error names the method before its reject.
func (r *Rejected) Error() string { return r.Method + ": " + r.Reject.Error() }

// Unwrap returns the reject.
func (r *Rejected) Unwrap() error { return r.Reject }

// isAnswer reports whether an error is an answer of the network: the connection works, and asking again gives the same.
func isAnswer(err error) bool {
	var ofNetwork *client.Reject
	var ofInstance *remote.Reject
	return errors.As(err, &ofNetwork) || errors.As(err, &ofInstance)
}
