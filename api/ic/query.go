package ic

import (
	"context"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
)

// query serves POST /api/v2/canister/{ecid}/query, /api/v3/canister/{ecid}/query and /api/v3/subnet/{esid}/query: the
// answer, signed by a node of the subnet (interface specification, "Request: Query call").
func (h *Handler) query(ctx context.Context, to *target, body []byte) ([]byte, error) {
	q, err := decode(ctx, h.info.Decoders, body, wire.DecodeQuery)
	if err != nil {
		return nil, err
	}
	if err := to.checkReceiver(&q.Message, queriedBySubnet()); err != nil {
		return nil, err
	}
	claims, err := h.authorize(to, q, &q.Envelope)
	if err != nil {
		return nil, err
	}
	dated := h.dating(to)
	result, err := h.backend.Query(ctx, &api.Query{
		Sender: claims.Sender, Receiver: q.CanisterID, Effective: to.effective, Subnet: to.subnet, BySubnet: to.bySubnet,
		Method: q.MethodName, Arg: q.Arg, Layout: to.layout, Dated: dated, Info: attested(claims.Info),
	})
	if err == nil && result.Refusal != nil {
		err = result.Refusal
	}
	if err != nil {
		return nil, err
	}
	response := wire.QueryResponse{Reply: result.Reply}
	if result.Reject != nil {
		rejection := rejectionOf(result.Reject)
		response.Rejection = &rejection
	}
	leave, err := h.info.Decoders.enter(ctx, len(result.Reply) > largeBody)
	if err != nil {
		return nil, err
	}
	defer leave()
	key := to.view.NodeKey(to.subnet)
	return wire.EncodeQueryResponse(response, claims.ID, result.Time+uint64(dated), wire.Node{ID: key.Principal(), Sign: key.Sign}), nil
}
