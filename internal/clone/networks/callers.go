package networks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/clone"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// MainnetURL is the address of the Internet Computer's HTTP interface.
const MainnetURL = "https://icp-api.io"

// MainnetKey returns the root key of the Internet Computer, in DER form.
func MainnetKey() []byte { return certify.MainnetRootKey() }

// interfaceSection is the custom section with the Candid interface of a canister.
const interfaceSection = "candid:service"

// Network is a network that is reached over the HTTP interface of the Internet Computer. All answers are verified.
type Network struct{ Client *client.Client }

// Call calls a method as the identity of the client. A network may drop the answer before a broken connection is there
// again: what only reads is then requested again.
func (n Network) Call(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	reply, err := answerOf(method, func() ([]byte, error) {
		return n.Client.Call(ctx, principal.Management, canister, method, argument)
	})
	if err != nil {
		return nil, answered(fmt.Errorf("%s for %s: %w", method, canister, err))
	}
	return reply, nil
}

// answerOf requests the answer of a method, again if it was dropped and the method only reads.
func answerOf(method string, request func() ([]byte, error)) ([]byte, error) {
	reply, err := request()
	for again := 0; again < droppedAnswers && errors.Is(err, client.ErrDone) && strings.HasPrefix(method, "read_"); again++ {
		reply, err = request()
	}
	return reply, err
}

// Query queries a method as the identity of the client. The answer has the signature of a node, and no certificate.
func (n Network) Query(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	reply, err := n.Client.Query(ctx, canister, canister, method, argument)
	if err != nil {
		return nil, answered(fmt.Errorf("%s of %s: %w", method, canister, err))
	}
	return reply, nil
}

// Interface returns the Candid interface of a canister.
func (n Network) Interface(ctx context.Context, canister principal.Principal) (string, error) {
	text, _, err := n.Client.Metadata(ctx, canister, interfaceSection)
	if err != nil {
		return "", answered(fmt.Errorf("the interface of %s: %w", canister, err))
	}
	return text, nil
}

// ModuleHash returns the SHA-256 of the module of a canister, which the network certifies; nil if it has none.
func (n Network) ModuleHash(ctx context.Context, canister principal.Principal) ([]byte, error) {
	path := certify.CanisterPath(canister, "module_hash")
	tree, err := n.Client.ReadState(ctx, canister, path)
	if err != nil {
		return nil, answered(fmt.Errorf("the module hash of %s: %w", canister, err))
	}
	hash, _ := tree.Lookup(path...)
	return hash, nil
}

// Instance is an instance of a daemon, which is reached over the control API.
type Instance struct {
	Daemon *remote.Daemon
	Name   string // "" for the default one
	Sender string // "" for anonymous
}

// Call calls a method as the sender.
func (i Instance) Call(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	call := i.message(principal.Management, method, argument)
	call.EffectiveCanisterId = canister.String()
	answer, err := i.Daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: i.Name, Call: call})
	if err != nil {
		return nil, err
	}
	return replied(method, answer.GetOutcome())
}

// Query queries a method as the sender.
func (i Instance) Query(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	answer, err := i.Daemon.Calls.Query(ctx, &controlv1.QueryRequest{Instance: i.Name, Call: i.message(canister, method, argument)})
	if err != nil {
		return nil, err
	}
	return replied(method, answer.GetOutcome())
}

// Interface returns the Candid interface of a canister.
func (i Instance) Interface(ctx context.Context, canister principal.Principal) (string, error) {
	read, err := i.Daemon.Canisters.ReadMetadata(ctx, &controlv1.ReadMetadataRequest{Instance: i.Name, CanisterId: canister.String(), Name: interfaceSection})
	if remote.IsNotFound(err) {
		return "", nil
	}
	return string(read.GetContent()), err
}

// ModuleHash returns the SHA-256 of the module of a canister, nil if it has none.
func (i Instance) ModuleHash(ctx context.Context, canister principal.Principal) ([]byte, error) {
	got, err := i.Daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: i.Name, CanisterId: canister.String()})
	if remote.IsNotFound(err) || err == nil && len(got.GetCanister().GetModuleHash()) == 0 {
		return nil, nil
	}
	return got.GetCanister().GetModuleHash(), err
}

func (i Instance) message(canister principal.Principal, method string, argument []byte) *controlv1.Call {
	return &controlv1.Call{
		CanisterId: canister.String(), Method: method, Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: argument}},
		Sender: i.Sender, ReplyForm: controlv1.Form_FORM_BYTES,
	}
}

func replied(method string, outcome *controlv1.Outcome) ([]byte, error) {
	value, err := remote.Reply(outcome)
	if err != nil {
		return nil, answered(&Rejected{method, err})
	}
	return value.GetBytes(), nil
}

// Rejected is the reject of a call of a method of an instance.
type Rejected struct {
	Method string
	Reject error
}

// Error names the method before its reject.
func (r *Rejected) Error() string { return r.Method + ": " + r.Reject.Error() }

// Unwrap returns the reject.
func (r *Rejected) Unwrap() error { return r.Reject }

// answered marks the error for a call that the network answered, and keeps the text with which a canister rejected it.
func answered(err error) error {
	if err == nil {
		return nil
	}
	if r, is := errors.AsType[*client.Reject](err); is {
		return &clone.AnsweredError{Err: err, Canister: rejection(r.Message, r.Code == uint64(controlv1.RejectCode_REJECT_CODE_CANISTER_REJECT))}
	}
	if r, is := errors.AsType[*remote.Reject](err); is {
		return &clone.AnsweredError{Err: err, Canister: rejection(r.GetText(), r.GetCode() == controlv1.RejectCode_REJECT_CODE_CANISTER_REJECT)}
	}
	if refused, is := errors.AsType[*client.HTTPError](err); is && refused.Final() {
		return &clone.AnsweredError{Err: err}
	}
	return err
}

func rejection(text string, byCanister bool) string {
	if byCanister {
		return text
	}
	return ""
}
