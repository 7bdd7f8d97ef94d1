package pocketic

import (
	"context"
	"fmt"
	"net/http"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// rawCall is an unsigned call.
type rawCall struct {
	Sender     []byte             `json:"sender"`
	CanisterID []byte             `json:"canister_id"`
	Effective  effectivePrincipal `json:"effective_principal"`
	Method     string             `json:"method"`
	Payload    []byte             `json:"payload"`
	Info       *rawSenderInfo     `json:"sender_info"`
}

// rawSenderInfo is a canister's attestation of the sender.
type rawSenderInfo struct {
	Info   []byte `json:"info"`
	Signer []byte `json:"signer"`
}

// rawMessage identifies a submitted call.
type rawMessage struct {
	Effective effectivePrincipal `json:"effective_principal"`
	MessageID []byte             `json:"message_id"`
}

// preparedCall is a call after it was parsed.
type preparedCall struct {
	sender, receiver principal.Principal
	to               destination
	method           string
	payload          []byte
	info             *intercanister.SenderInfo
}

// prepareCall parses a call.
func (s *Server) prepareCall(ctx context.Context, e *entry, body []byte) (*preparedCall, error) {
	var in rawCall
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	o := &preparedCall{method: in.Method, payload: in.Payload}
	var err error
	if o.sender, err = readID(in.Sender, "sender principal"); err != nil {
		return nil, err
	}
	if o.receiver, err = readID(in.CanisterID, "canister id"); err != nil {
		return nil, err
	}
	if in.Info != nil {
		signer, err := readID(in.Info.Signer, "sender info signer")
		if err != nil {
			return nil, err
		}
		o.info = &intercanister.SenderInfo{Info: in.Info.Info, Signer: signer}
	}
	if o.to, err = e.destination(ctx, &in, o.receiver); err != nil {
		return nil, err
	}
	if o.to.bySubnet {
		o.receiver = principal.Management
	}
	return o, nil
}

// submitIngress serves POST update/submit_ingress_message: the call is accepted, or rejected before it enters.
func (s *Server) submitIngress(ctx context.Context, e *entry, body []byte) (any, error) {
	o, err := s.prepareCall(ctx, e, body)
	if err != nil {
		return nil, s.unsubmitted(err)
	}
	id, reject, err := e.submit(ctx, o, false)
	switch {
	case err != nil:
		return nil, s.unsubmitted(err)
	case reject != nil:
		return s.rejected(reject, false), nil
	}
	return okay[rawMessage]{rawMessage{effectivePrincipal{subnet: o.to.subnet.Bytes()}, id[:]}}, nil
}

// submit submits a call under a fresh id. The reject means that the call did not enter. anySize allows more bytes than
// users' calls may have.
func (e *entry) submit(ctx context.Context, o *preparedCall, anySize bool) (id replica.RequestID, reject *intercanister.Reject, err error) {
	now, err := e.now(ctx)
	if err != nil {
		return id, nil, err
	}
	d := e.instance.Driver()
	for {
		id = d.FreshID(o.sender, o.receiver, o.method)
		receipt, err := e.instance.Backend().Submit(ctx, &replica.Ingress{
			ID: id, Sender: o.sender, Receiver: o.receiver, Effective: o.to.effective,
			Subnet: o.to.subnet, BySubnet: o.to.bySubnet, Method: o.method, Arg: o.payload, Info: o.info, AnyExpiry: true, AnySize: anySize,
			Expiry: now + ingressLifetime, Size: len(o.payload) + len(o.method) + replica.EnvelopeBytes,
		})
		if err != nil || receipt.Known == 0 {
			return id, receipt.Reject, err
		}
	}
}

// unsubmitted reports a call that was not accepted to the people who watch the server.
func (s *Server) unsubmitted(err error) error {
	_, text := failureOf(err)
	_, _ = fmt.Fprintf(s.diagnostics, "Failed to submit ingress message: %s\n", text)
	return err
}

// now returns the instance's time: the time of the next round if it was set.
func (e *entry) now(ctx context.Context) (uint64, error) {
	if e.pacing == ByWallClock {
		return e.instance.Backend().Clock().Now, nil
	}
	return driver.Ask(ctx, e.instance.Driver(), func(n *replica.Network) uint64 { return n.Activity().Clock })
}

// message parses which call a body is about.
func (e *entry) message(ctx context.Context, in *rawMessage) (subnet principal.Principal, id replica.RequestID, err error) {
	if len(in.MessageID) != len(id) {
		return subnet, id, conversion("Bad message id")
	}
	copy(id[:], in.MessageID)
	if in.Effective.subnet != nil {
		subnet, err = e.existing(ctx, in.Effective.subnet)
		return subnet, id, err
	}
	canister, err := readID(in.Effective.canister, "effective canister id")
	if err != nil {
		return subnet, id, err
	}
	to, found := e.hostOf(ctx, canister)
	if !found {
		return subnet, id, unroutedCanister("No subnet found for canister " + canister.String() + ".")
	}
	return to.subnet, id, nil
}

// existing parses the id of a subnet of the network.
func (e *entry) existing(ctx context.Context, raw []byte) (principal.Principal, error) {
	id, err := readID(raw, "subnet id")
	if err != nil {
		return id, err
	}
	found, err := driver.ReadValue(ctx, e.instance.Driver(), func(n *replica.Network) bool { return n.HasSubnet(id) })
	if err == nil && !found {
		err = subnetNotFound(id)
	}
	return id, err
}

// awaitIngress serves POST update/await_ingress_message: it runs rounds until the call is answered.
func (s *Server) awaitIngress(ctx context.Context, e *entry, body []byte) (any, error) {
	var in rawMessage
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	subnet, id, err := e.message(ctx, &in)
	if err != nil {
		return nil, err
	}
	if err := e.await(ctx, subnet, id); err != nil {
		return nil, err
	}
	answer, err := e.answer(ctx, subnet, id)
	if err != nil {
		return nil, err
	}
	if !answer.Status.Terminal() || answer.Status == replica.Done {
		return nil, e.unanswered(ctx, id)
	}
	return s.answered(&answer), nil
}

// unanswered returns the error for a call that was awaited in vain: PocketIC's, and what the call waits for.
func (e *entry) unanswered(ctx context.Context, id replica.RequestID) error {
	why, err := driver.ReadValue(ctx, e.instance.Driver(), func(n *replica.Network) string { return n.Introspect().WhyUnanswered(id).Text })
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Failed to answer to ingress 0x%x after %d rounds", id, awaitRounds)
	if e.pacing != ByClient {
		text = fmt.Sprintf("Failed to answer to ingress 0x%x within %s", id, livePatience)
	}
	if why != "" {
		text += ": " + why
	}
	return badIngress(text + ".")
}

// await waits a limited time until a call is answered.
func (e *entry) await(ctx context.Context, subnet principal.Principal, id replica.RequestID) error {
	if e.pacing != ByClient {
		return e.awaitLive(ctx, subnet, id)
	}
	return e.awaitRounds(ctx, subnet, id)
}

// awaitRounds runs rounds until a call is answered, at most as many as PocketIC.
func (e *entry) awaitRounds(ctx context.Context, subnet principal.Principal, id replica.RequestID) error {
	rounds := driver.AtMost(awaitRounds)
	_, err := e.instance.Driver().RunRounds(ctx, func(n *replica.Network) driver.Next {
		if status, shown := n.IngressShown(subnet, id); status.Terminal() && shown || !rounds.Take(n) {
			return driver.Stop
		}
		return driver.Go
	})
	return err
}

// awaitLive waits until a call is answered by the rounds of a live instance.
func (e *entry) awaitLive(ctx context.Context, subnet principal.Principal, id replica.RequestID) error {
	ctx, cancel := context.WithTimeout(ctx, livePatience)
	defer cancel()
	if err := e.instance.Driver().Await(ctx, subnet, id); err != nil && ctx.Err() == nil {
		return badIngress(err.Error())
	}
	return e.ctx.Err()
}

// answer returns the present state of a call; empty if it is unknown, as it is before the first round after its
// submission.
func (e *entry) answer(ctx context.Context, subnet principal.Principal, id replica.RequestID) (replica.IngressAnswer, error) {
	return driver.ReadValue(ctx, e.instance.Driver(), func(n *replica.Network) replica.IngressAnswer {
		answer, _ := n.IngressAnswer(subnet, id)
		if answer.Status == replica.Received && !n.Shown(subnet, id) {
			return replica.IngressAnswer{}
		}
		return answer
	})
}

// answered returns the answer to a call that is certified.
func (s *Server) answered(a *replica.IngressAnswer) any {
	if a.Reject != nil {
		return s.rejected(a.Reject, true)
	}
	return replied(a.Reply)
}

// query serves POST read/query.
func (s *Server) query(ctx context.Context, e *entry, body []byte) (any, error) {
	o, err := s.prepareCall(ctx, e, body)
	if err != nil {
		return nil, err
	}
	result, err := e.instance.Backend().Query(ctx, &api.Query{
		Sender: o.sender, Receiver: o.receiver, Effective: o.to.effective, Subnet: o.to.subnet, BySubnet: o.to.bySubnet,
		Method: o.method, Arg: o.payload, Info: o.info,
	})
	switch {
	case err != nil:
		return nil, err
	case result.Reject != nil:
		return s.rejected(result.Reject, false), nil
	}
	return replied(result.Reply), nil
}

// callerField is the sender of a status request: an object, or from some clients the principal itself.
type callerField struct{ id []byte }

// UnmarshalJSON reads both forms.
func (c *callerField) UnmarshalJSON(text []byte) error {
	var object rawPrincipal
	if decode(text, &object) == nil {
		c.id = object.PrincipalID
		return nil
	}
	return decode(text, &c.id)
}

// ingressStatus serves POST read/ingress_status: null as long as a call has no answer.
func (s *Server) ingressStatus(ctx context.Context, e *entry, body []byte) (any, error) {
	var in struct {
		Message rawMessage   `json:"raw_message_id"`
		Caller  *callerField `json:"raw_caller"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	subnet, id, err := e.message(ctx, &in.Message)
	if err != nil {
		return nil, err
	}
	answer, err := e.answer(ctx, subnet, id)
	if err != nil {
		return nil, err
	}
	if in.Caller != nil && in.Caller.id != nil && answer.Status != 0 {
		caller, err := readID(in.Caller.id, "sender principal")
		if err != nil {
			return nil, err
		}
		if caller != answer.Sender {
			return nil, &failure{http.StatusForbidden, "The user tries to access Request ID not signed by the caller."}
		}
	}
	if !answer.Status.Terminal() || answer.Status == replica.Done {
		return nil, nil
	}
	return s.answered(&answer), nil
}
