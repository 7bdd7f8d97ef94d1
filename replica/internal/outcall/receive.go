package outcall

import (
	"strings"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Received is what a node makes of the answer it got: the argument of the
// transform it must run, or where there is none, nil and the content.
func Received(sent *state.Outcall, a *state.OutcallAnswer) (transform []byte, content state.OutcallContent) {
	if a.Reject != nil {
		return nil, state.OutcallContent{Reject: reject(a.Reject.Code, "%s", a.Reject.Text)}
	}
	if fault := Check(a.Headers, a.Body); fault != "" {
		return nil, state.OutcallContent{Reject: reject(intercanister.SysFatal, "%s", fault)}
	}
	result := Result{Status: uint(a.Status), Body: a.Body}
	for _, h := range a.Headers {
		// Candid text must be UTF-8; nobody but the writer of a mock can break that.
		result.Headers = append(result.Headers, Header{strings.ToValidUTF8(h[0], "\uFFFD"), strings.ToValidUTF8(h[1], "\uFFFD")})
	}
	if sent.Transform == nil {
		return nil, state.OutcallContent{Reply: encode(result)}
	}
	return encode(TransformArg{result, sent.Transform.Context}), content
}

// Transformed is what a node makes of the transform's reply or reject.
func Transformed(sent *state.Outcall, reply []byte, refused *intercanister.Reject) state.OutcallContent {
	content := state.OutcallContent{Reply: reply}
	size := len(reply)
	if refused != nil {
		content = state.OutcallContent{Reject: reject(refused.Code, "%s", refused.Message())}
		size = len(content.Reject.Text)
	}
	if uint64(size) > sent.MaxResponse {
		return state.OutcallContent{Reject: reject(intercanister.SysFatal, "Transformed http response exceeds limit: %d", sent.MaxResponse)}
	}
	return content
}
