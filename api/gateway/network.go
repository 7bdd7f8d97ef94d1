package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
)

// Network is a gateway's view of one instance. It is safe for concurrent use.
type Network interface {
	// Name returns the label of the instance in hosts and paths.
	Name() string
	// Backend answers calls.
	Backend() api.Backend
	// API returns the HTTP interface of the Internet Computer.
	API() http.Handler
	// Topology returns the subnets for JSON, in PocketIC's form.
	Topology() any
	// Canisters returns up to most canisters, ordered by id.
	Canisters(ctx context.Context, most int) ([]Canister, error)
	// Canister returns one canister; false if there is none.
	Canister(ctx context.Context, id principal.Principal) (Canister, bool, error)
}

// Canister is a canister on the dashboard.
type Canister struct {
	ID     principal.Principal
	Name   string // in the project that deployed it; "" if it is not known
	Subnet principal.Principal
	Status string
	Cycles string // with grouped digits
	Memory string // bytes, with grouped digits
	Module []byte // SHA-256; nil if it has no code
	Pages  bool   // it has a method http_request
}

// Networks are the instances that a gateway serves. It is safe for concurrent use.
type Networks interface {
	// Network returns the instance with a name, "" for the default one; nil if there is none.
	Network(name string) Network
	// Networks returns all instances, ordered by name.
	Networks() []Network
}

// reject is an answer of a canister other than a reply.
type reject struct {
	code  int // 1 to 6 (interface specification, "Reject codes")
	text  string
	error string // such as IC0301
}

// Error returns code and text.
func (r *reject) Error() string {
	if r.error == "" {
		return fmt.Sprintf("reject code %d: %s", r.code, r.text)
	}
	return fmt.Sprintf("reject code %d (%s): %s", r.code, r.error, r.text)
}

func rejectOf(r *intercanister.Reject) *reject {
	rejected := &reject{code: int(r.Code), text: r.Text}
	if r.Error != 0 {
		rejected.error = r.Error.String()
	}
	return rejected
}

// destinationInvalid is the reject code for canisters that do not exist.
const destinationInvalid = 3

// errNoSubnet is for a canister id that no subnet hosts.
var errNoSubnet = errors.New("no subnet of this instance hosts the canister id")

// query calls a query method of a canister as the anonymous user. at is the time of the state that answered, in
// nanoseconds. A *reject is the canister's.
func query(ctx context.Context, n Network, canister principal.Principal, method string, arg []byte) (reply []byte, at uint64, err error) {
	view := n.Backend().View()
	if view == nil {
		return nil, 0, api.NoCertifiedState.Refuse()
	}
	subnet, ok := view.Host(canister)
	if !ok {
		return nil, 0, errNoSubnet
	}
	result, err := n.Backend().Query(ctx, &api.Query{
		Sender: principal.Anonymous, Receiver: canister, Effective: canister, Subnet: subnet, Method: method, Arg: arg,
	})
	switch {
	case err != nil:
		return nil, 0, err
	case result.Refusal != nil:
		return nil, 0, result.Refusal
	case result.Reject != nil:
		return nil, 0, rejectOf(result.Reject)
	}
	return result.Reply, result.Time, nil
}

// update calls an update method of a canister as the anonymous user and waits for the answer. A *reject is the
// canister's.
func update(ctx context.Context, n Network, canister principal.Principal, method string, arg []byte) ([]byte, error) {
	backend := n.Backend()
	view := backend.View()
	if view == nil {
		return nil, api.NoCertifiedState.Refuse()
	}
	subnet, ok := view.Host(canister)
	if !ok {
		return nil, errNoSubnet
	}
	var id api.RequestID
	if _, err := rand.Read(id[:]); err != nil {
		return nil, fmt.Errorf("drawing a request id: %w", err)
	}
	receipt, pending, err := backend.SubmitAwaited(ctx, &api.Ingress{
		ID: id, Sender: principal.Anonymous, Receiver: canister, Effective: canister, Subnet: subnet, Method: method, Arg: arg,
		Expiry: backend.Clock().Now + updateExpiry, Size: len(arg) + len(method) + api.EnvelopeBytes,
	})
	switch {
	case err != nil:
		return nil, err
	case receipt.Reject != nil:
		return nil, rejectOf(receipt.Reject)
	}
	answer, err := pending.Answer(ctx)
	switch {
	case err != nil:
		return nil, err
	case answer.Reject != nil:
		return nil, rejectOf(answer.Reject)
	case answer.Status != api.Replied:
		return nil, fmt.Errorf("the answer is no longer known: its status is %q", answer.Status)
	}
	return answer.Reply, nil
}

// section returns a public custom section of a canister's module, "" if there is none.
func section(n Network, canister principal.Principal, name string) string {
	view := n.Backend().View()
	if view == nil {
		return ""
	}
	subnet, ok := view.Host(canister)
	if !ok {
		return ""
	}
	node, _ := view.Certified(subnet).Tree().Get(certify.MetadataPath(canister, name)...)
	return string(node.Value())
}
