package control

import (
	"encoding/hex"
	"strings"

	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// outcomeOf returns the outcome of an update call.
func outcomeOf(id replica.RequestID, a *replica.IngressAnswer, form controlv1.Form, described *did.Method) *controlv1.Outcome {
	out := &controlv1.Outcome{Instructions: a.Instructions, Time: stamp(a.Answered), RequestId: id[:]}
	if a.Reject != nil {
		out.Answer = &controlv1.Outcome_Reject{Reject: rejectOf(a.Reject, a.Backtrace, a.Receiver)}
	} else {
		out.Answer = &controlv1.Outcome_Reply{Reply: valueOf(a.Reply, form, described)}
	}
	return out
}

// rejectedAtIngress returns the outcome of a call whose message was rejected before it entered.
func rejectedAtIngress(o *preparedCall, reject *intercanister.Reject) *controlv1.Outcome {
	return &controlv1.Outcome{
		Answer: &controlv1.Outcome_Reject{Reject: rejectOf(reject, nil, o.receiver)},
		Time:   stamp(o.instance.Driver().Time()),
	}
}

// rejectOf returns a reject with its backtrace: the network's, or else that in its text.
func rejectOf(r *intercanister.Reject, backtrace []replica.Frame, of principal.Principal) *controlv1.Reject {
	out := &controlv1.Reject{Code: controlv1.RejectCode(r.Code), Text: r.Text}
	if r.Error != 0 {
		out.ErrorCode = r.Error.String()
	}
	for i := range backtrace {
		out.Backtrace = append(out.Backtrace, frameOf(&backtrace[i]))
	}
	if len(backtrace) == 0 {
		out.Backtrace = framesOf(r.Text, of)
	}
	return out
}

func frameOf(f *replica.Frame) *controlv1.Frame {
	out := &controlv1.Frame{
		CanisterId: f.Canister.String(), Function: strings.ToValidUTF8(f.Function, "\uFFFD"), CallContext: uint64(f.Context),
		File: strings.ToValidUTF8(f.Line.File, "\uFFFD"), Line: uint32(f.Line.Number),
	}
	if f.Module != [32]byte{} {
		out.Module = hex.EncodeToString(f.Module[:])
	}
	return out
}

// framesOf returns the frames of the backtrace in a text, innermost first: functions of one canister.
func framesOf(text string, of principal.Principal) (frames []*controlv1.Frame) {
	const title, end, named = "\nCanister Backtrace:\n", "\n.", "Error from Canister "
	head, trace, ok := strings.Cut(text, title)
	if !ok {
		return nil
	}
	if at := strings.LastIndex(head, named); at >= 0 {
		id, _, _ := strings.Cut(head[at+len(named):], ":")
		if p, err := principal.Parse(id); err == nil {
			of = p
		}
	}
	trace, _, _ = strings.Cut(trace, end)
	for line := range strings.SplitSeq(strings.TrimSpace(trace), "\n") {
		frames = append(frames, &controlv1.Frame{CanisterId: of.String(), Function: line})
	}
	return frames
}
