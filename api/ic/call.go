package ic

import (
	"context"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/certify"
)

// callVerdict is where a call stands after it was handed in.
type callVerdict struct {
	id     wire.RequestID
	shown  bool // the state shows it already; it was not handed in
	known  bool // it was handed in before, and the state does not show it yet
	reject *intercanister.Reject
}

// submit checks a call and hands it to the network (interface specification,
// "Request: Call"). The error is a refusal, or the context's.
func (h *Handler) submit(ctx context.Context, to *target, body []byte) (callVerdict, error) {
	call, err := wire.DecodeCall(body)
	if err != nil {
		return callVerdict{}, err
	}
	if err := to.checkReceiver(&call.Message, "create_canister", "provisional_create_canister_with_cycles"); err != nil {
		return callVerdict{}, err
	}
	if limit := to.maxIngress(); len(body) > limit {
		return callVerdict{}, api.IngressTooLarge.Refuse(call.ID, len(body), limit)
	}
	claims, err := h.authorize(to, call, &call.Envelope)
	if err != nil {
		return callVerdict{}, err
	}
	verdict := callVerdict{id: claims.ID}
	if _, verdict.shown = to.view.Certified(to.subnet).Tree().Get(certify.RequestStatusPath(claims.ID, "status")...); verdict.shown {
		return verdict, nil
	}
	receipt, err := h.backend.Submit(ctx, &api.Ingress{
		ID: api.RequestID(claims.ID), Sender: claims.Sender, Receiver: call.CanisterID, Effective: to.effective,
		Subnet: to.subnet, BySubnet: to.bySubnet, Method: call.MethodName, Arg: call.Arg,
		Expiry: to.deadline, Size: len(body), Info: attested(claims.Info),
	})
	verdict.reject, verdict.known = receipt.Reject, receipt.Known != 0
	return verdict, err
}

// maxIngress is the size of a call on the subnet, in bytes.
func (to *target) maxIngress() int {
	kind, ok := to.view.Certified(to.subnet).Tree().Get(certify.SubnetPath(to.subnet, "type")...)
	if ok && string(kind.Value()) == "system" {
		return replica.MaxIngressBytesSystem
	}
	return replica.MaxIngressBytes
}

// rejectionOf is a reject as the wire has it.
func rejectionOf(r *intercanister.Reject) wire.Rejection {
	rejection := wire.Rejection{Code: uint64(r.Code), Message: r.Text}
	if r.Error != 0 {
		rejection.ErrorCode = r.Error.String()
	}
	return rejection
}
