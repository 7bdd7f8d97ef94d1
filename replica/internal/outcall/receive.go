package outcall

import (
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Received returns a node's result for its answer: the argument of the transform that it must run, or if there is none,
// nil and the content.
func Received(fees *cycles.Schedule, sent *state.Outcall, a *state.OutcallAnswer) (transform []byte, content state.OutcallContent) {
	if a.Reject != nil {
		return nil, perNodeResponse(fees, sent, state.OutcallContent{Reject: reject(a.Reject.Code, "%s", a.Reject.Text)})
	}
	if !spend(sent, &content, fees.OutcallDownload(rawBytes(a), 0)) {
		return nil, content
	}
	if fault := Check(a.Headers, a.Body); fault != "" {
		content.Reject = reject(intercanister.SysFatal, "%s", fault)
		return nil, perNodeResponse(fees, sent, content)
	}
	result := Result{Status: uint(a.Status), Body: a.Body}
	for _, h := range a.Headers {
		// Candid text must be UTF-8; only the author of a mock can violate that.
		result.Headers = append(result.Headers, Header{strings.ToValidUTF8(h[0], "\uFFFD"), strings.ToValidUTF8(h[1], "\uFFFD")})
	}
	if sent.Transform == nil {
		content.Reply = encode(result)
		return nil, perNodeResponse(fees, sent, content)
	}
	return encode(TransformArg{result, sent.Transform.Context}), content
}

// Transform is the result of a transform: a reply or a reject, and its instructions.
type Transform struct {
	Reply        []byte
	Refused      *intercanister.Reject
	Instructions uint64
}

// Transformed returns a node's content from the result of a transform. spent is what the node has paid for the
// download.
func Transformed(fees *cycles.Schedule, sent *state.Outcall, spent cycles.Amount, t *Transform) state.OutcallContent {
	content := state.OutcallContent{Spent: spent}
	if !spend(sent, &content, fees.OutcallTransform(t.Instructions)) {
		return content
	}
	content.Reply = t.Reply
	if t.Refused != nil {
		content.Reply, content.Reject = nil, reject(t.Refused.Code, "%s", t.Refused.Message())
	}
	if err := candid.Unmarshal(content.Reply, new(Result)); err != nil && sent.Flexible() && content.Reject == nil {
		content.Reply, content.Reject = nil, reject(intercanister.SysFatal, "Failed to decode the transformed http response: %v", err)
	}
	if size(&content) > sent.MaxResponse {
		content.Reply, content.Reject = nil, reject(intercanister.SysFatal, "Transformed http response exceeds limit: %d", sent.MaxResponse)
	}
	return perNodeResponse(fees, sent, content)
}

// perNodeResponse returns a content after the node has paid for sending it to the others.
func perNodeResponse(fees *cycles.Schedule, sent *state.Outcall, content state.OutcallContent) state.OutcallContent {
	spend(sent, &content, fees.OutcallGossip(size(&content), sent.Committee()))
	return content
}
