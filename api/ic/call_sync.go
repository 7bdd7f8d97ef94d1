package ic

import (
	"context"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/replica/certify"
)

// callSync is POST /api/v3/canister/{ecid}/call, /api/v4/canister/{ecid}/call and
// /api/v4/subnet/{esid}/call (interface specification, "Request: Synchronous
// call"). A call whose status the state shows already is answered with that, a
// duplicate of one that is on its way and one that takes too long with an empty
// 202.
func (h *Handler) callSync(ctx context.Context, to *target, body []byte) ([]byte, error) {
	verdict, err := h.submit(ctx, to, body)
	switch {
	case err != nil:
		return nil, err
	case verdict.shown:
		return wire.EncodeCallReplied(h.certificate(to, to.view, certify.RequestStatusPath(verdict.id))), nil
	case verdict.reject == nil && !verdict.known:
		if answer := h.answered(ctx, to, verdict.id); answer != nil {
			return answer, nil
		}
		ctx = context.WithoutCancel(ctx) // the client may wait for the status of the call that is in
	}
	if err := h.backend.Settle(ctx); err != nil {
		return nil, err
	}
	if verdict.reject != nil {
		return wire.EncodeNonReplicatedRejection(rejectionOf(verdict.reject)), nil
	}
	return nil, nil
}

// answered is the certified answer to an accepted call, nil where it does not
// come in time. From here on the call is in, and no failure is a refusal.
func (h *Handler) answered(ctx context.Context, to *target, id wire.RequestID) []byte {
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	if err := h.backend.Await(ctx, to.subnet, api.RequestID(id)); err != nil {
		return nil
	}
	own := h.backend.View() // has the answer, unless the network was restored
	if own == nil {
		return nil
	}
	view := h.newestSigned(to)
	if view == nil || !to.shows(view, id) {
		// The network's time was moved past the answer's lifetime meanwhile.
		if view = own.Dated(h.dating(to)); !to.shows(view, id) {
			return nil
		}
	}
	return wire.EncodeCallReplied(to.certificate(view, certify.RequestStatusPath(id)))
}
