package ic

import (
	"context"

	"github.com/canisterd/canisterd/api/internal/wire"
)

// callAsync serves POST /api/v2/canister/{ecid}/call: 202 as soon as the call is accepted, or if it was accepted
// before; otherwise 200 with the rejection (interface specification, "Request: Asynchronous call").
func (h *Handler) callAsync(ctx context.Context, to *target, body []byte) ([]byte, error) {
	verdict, err := h.submit(ctx, to, body, false)
	if err == nil {
		err = h.backend.Settle(ctx)
	}
	if err != nil || verdict.reject == nil {
		return nil, err
	}
	return wire.EncodeAsyncRejection(rejectionOf(verdict.reject)), nil
}
