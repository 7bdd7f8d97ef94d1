package ic

import (
	"context"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/certify"
)

// callSync serves POST /api/v3/canister/{ecid}/call, /api/v4/canister/{ecid}/call and /api/v4/subnet/{esid}/call
// (interface specification, "Request: Synchronous call"). If the state already shows the status of a call, the answer
// has it. A duplicate of a pending call and a call that takes too long get an empty 202.
func (h *Handler) callSync(ctx context.Context, to *target, body []byte) ([]byte, error) {
	verdict, err := h.submit(ctx, to, body, true)
	switch {
	case err != nil:
		return nil, err
	case verdict.shown:
		return h.delivered(to, verdict.id, wire.EncodeCallReplied(h.certificate(to, to.view, certify.RequestStatusPath(verdict.id)))), nil
	case verdict.pending != nil:
		if answer := h.answered(ctx, to, &verdict); answer != nil {
			return answer, nil
		}
		ctx = context.WithoutCancel(ctx) // the client may wait for the status of the accepted call
	}
	if err := h.backend.Settle(ctx); err != nil {
		return nil, err
	}
	if verdict.reject != nil {
		return wire.EncodeNonReplicatedRejection(rejectionOf(verdict.reject)), nil
	}
	return nil, nil
}

// answered returns the certified answer to an accepted call, nil if it is too late. From here on no failure is a
// refusal, since the call was accepted.
func (h *Handler) answered(ctx context.Context, to *target, call *callVerdict) []byte {
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	if _, err := call.pending.Answer(ctx); err != nil {
		return nil
	}
	own := h.backend.View() // has the answer, unless the network was restored
	if own == nil {
		return nil
	}
	view := h.newestSigned(to)
	if view == nil || !to.shows(view, call.id) {
		// The network's time was moved past the answer's lifetime meanwhile.
		if view = own.Dated(h.dating(to)); !to.shows(view, call.id) {
			return nil
		}
	}
	return h.delivered(to, call.id, wire.EncodeCallReplied(to.certificate(view, certify.RequestStatusPath(call.id))))
}

// delivered tells the network that a client gets the response with the answer to a request, and returns the response.
func (h *Handler) delivered(to *target, id wire.RequestID, response []byte) []byte {
	h.backend.Delivered(to.subnet, api.RequestID(id), len(response))
	return response
}
