package ic

import (
	"context"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
)

// callVerdict is the state of a call after its submission.
type callVerdict struct {
	id      wire.RequestID
	shown   bool        // the state already shows it; it was not submitted
	pending api.Pending // nil unless it is accepted and its client waits for the answer
	reject  *intercanister.Reject
}

// submit checks a call and submits it to the network (interface specification, "Request: Call"). waits says that the
// client then waits for the answer. The error is a refusal, or the context's.
func (h *Handler) submit(ctx context.Context, to *target, body []byte, waits bool) (verdict callVerdict, err error) {
	h.signer.arriving.Add(1)
	defer h.signer.arriving.Add(-1)
	in, err := h.ingress(ctx, to, body)
	if err != nil {
		return verdict, err
	}
	verdict.id = wire.RequestID(in.ID)
	if verdict.shown = to.shows(to.view, verdict.id); verdict.shown {
		return verdict, nil
	}
	var receipt api.Receipt
	if waits {
		receipt, verdict.pending, err = h.backend.SubmitAwaited(ctx, in)
	} else {
		receipt, err = h.backend.Submit(ctx, in)
	}
	verdict.reject = receipt.Reject
	return verdict, err
}

// ingress returns the message of a call that it has checked.
func (h *Handler) ingress(ctx context.Context, to *target, body []byte) (*api.Ingress, error) {
	call, err := decode(ctx, h.info.Decoders, body, wire.DecodeCall)
	if err != nil {
		return nil, err
	}
	if err := to.checkReceiver(&call.Message, calledBySubnet()); err != nil {
		return nil, err
	}
	// Foreign pages, which a browser on this machine may have open, must not have canisters here.
	if to.foreign != "" && call.CanisterID == principal.Management && replica.FindManagementMethod(call.MethodName).GivesCycles {
		return nil, api.ForeignPage.Refuse(call.MethodName, to.foreign)
	}
	if to.anywhere && !replica.FindManagementMethod(call.MethodName).AnyHost {
		return nil, api.NoHost.Refuse(principal.Management)
	}
	if limit := to.maxIngress(len(body)); len(body) > limit {
		return nil, api.IngressTooLarge.Refuse(call.ID, len(body), limit)
	}
	claims, err := h.authorize(to, call, &call.Envelope)
	if err != nil {
		return nil, err
	}
	return &api.Ingress{
		ID: api.RequestID(claims.ID), Sender: claims.Sender, Receiver: call.CanisterID, Effective: to.effective,
		Subnet: to.subnet, BySubnet: to.bySubnet, Method: call.MethodName, Arg: call.Arg,
		Expiry: to.deadline, Size: len(body), Info: attested(claims.Info),
	}, nil
}

// shows reports whether a view's certified state has the status of a request. The tree of a view is made on first use,
// which costs more than an update, so views without the request are not asked.
func (to *target) shows(view api.View, id wire.RequestID) bool {
	if _, _, _, known := view.Request(to.subnet, api.RequestID(id)); !known {
		return false
	}
	_, shown := view.Certified(to.subnet).Tree().Get(certify.RequestStatusPath(id, "status")...)
	return shown
}

// maxIngress returns the largest size of a call on the subnet, in bytes, for a call of some size: the kind of the
// subnet matters only for large ones.
func (to *target) maxIngress(size int) int {
	if size <= replica.MaxIngressBytes {
		return replica.MaxIngressBytes
	}
	kind, ok := to.view.Certified(to.subnet).Tree().Get(certify.SubnetPath(to.subnet, "type")...)
	if ok && string(kind.Value()) == "system" {
		return replica.MaxIngressBytesSystem
	}
	return replica.MaxIngressBytes
}

// rejectionOf converts a reject for package wire.
func rejectionOf(r *intercanister.Reject) wire.Rejection {
	rejection := wire.Rejection{Code: uint64(r.Code), Message: r.Text}
	if r.Error != 0 {
		rejection.ErrorCode = r.Error.String()
	}
	return rejection
}
