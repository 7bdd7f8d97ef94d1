package control

import (
	"context"
	"math"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
)

// answered is the method that an answer is for: of any callee if that is nil.
type answered struct {
	callee *principal.Principal
	method string
}

// readAnswer parses an answer in place of a callee. Text and JSON are read by the callee's interface, text without one
// if there is none.
func (s *messages) readAnswer(ctx context.Context, i *instance.Instance, field string, in *controlv1.Answer, of answered) (a replica.Settlement, err error) {
	switch says := in.GetAnswer().(type) {
	case *controlv1.Answer_Reply:
		a.Reply, err = s.readReply(ctx, i, field+".reply", says.Reply, of)
		return a, err
	case *controlv1.Answer_Reject:
		code := intercanister.RejectCode(says.Reject.GetCode())
		if code < intercanister.SysFatal || code > intercanister.SysUnknown {
			return a, BadField.Refuse(field+".reject.code", says.Reject.GetCode(), "expected one of RejectCode, from SYS_FATAL on")
		}
		a.Reject = &intercanister.Reject{Code: code, Text: says.Reject.GetText()}
		return a, nil
	case *controlv1.Answer_Unknown:
		if !says.Unknown {
			return a, BadField.Refuse(field+".unknown", false, "set it to true, or choose another answer")
		}
		a.Unknown = true
		return a, nil
	}
	return a, MissingField.Refuse(field, "a reply, a reject or unknown")
}

// readReply parses a reply; one without a form is the empty list of results.
func (s *messages) readReply(ctx context.Context, i *instance.Instance, field string, v *controlv1.Value, of answered) ([]byte, error) {
	switch form := v.GetForm().(type) {
	case *controlv1.Value_Bytes:
		return form.Bytes, nil
	case *controlv1.Value_Text:
		method, err := s.methodOf(ctx, i, of)
		if err != nil && ignoreMissing(err) != nil {
			return nil, err
		}
		raw, err := textReply(method, form.Text)
		if err != nil {
			return nil, BadField.Refuse(field+".text", cut(form.Text), err.Error())
		}
		return raw, nil
	case *controlv1.Value_Json:
		method, err := s.methodOf(ctx, i, of)
		if err != nil {
			return nil, err
		}
		if method == nil {
			return nil, BadField.Refuse(field+".json", cut(form.Json), "JSON is read by the interface of a canister: name the callee and the method exactly, or answer in text or bytes")
		}
		raw, err := method.ResultsFromJSON([]byte(form.Json))
		if err != nil {
			return nil, BadField.Refuse(field+".json", cut(form.Json), err.Error())
		}
		return raw, nil
	}
	return noArguments, nil
}

func textReply(method *did.Method, text string) ([]byte, error) {
	if method != nil {
		return method.EncodeResults(text)
	}
	values, err := candid.ParseArgs(text)
	if err != nil {
		return nil, err
	}
	return candid.EncodeValues(values...)
}

// methodOf returns the method from the interface of its canister, nil if the canister is unknown or its interface lacks
// the method.
func (s *messages) methodOf(ctx context.Context, i *instance.Instance, of answered) (*did.Method, error) {
	if of.callee == nil || *of.callee == principal.Management {
		return nil, nil //nolint:nilnil // no method is known
	}
	file, err := s.interfaceOf(ctx, i, *of.callee)
	if err != nil {
		return nil, err
	}
	method, ok := file.Method(of.method)
	if !ok {
		return nil, nil //nolint:nilnil // no method is known
	}
	return &method, nil
}

// cut returns the part of a long text that is shown.
func cut(text string) string {
	const shown = 100
	if len(text) > shown {
		return text[:shown] + "…"
	}
	return text
}

// shownAnswer converts the answer of a rule, its reply in bytes.
func shownAnswer(a *replica.Action) *controlv1.Answer {
	switch a.Kind {
	case replica.ActReject:
		return &controlv1.Answer{Answer: &controlv1.Answer_Reject{Reject: shownReject(a.Reject)}}
	case replica.ActUnknown:
		return &controlv1.Answer{Answer: &controlv1.Answer_Unknown{Unknown: true}}
	}
	return &controlv1.Answer{Answer: &controlv1.Answer_Reply{Reply: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: a.Reply}}}}
}

// shownReject converts a reject on its way, without a backtrace.
func shownReject(r *intercanister.Reject) *controlv1.Reject {
	if r == nil {
		return nil
	}
	shown := &controlv1.Reject{Code: controlv1.RejectCode(r.Code), Text: r.Text}
	if r.Error != 0 {
		shown.ErrorCode = r.Error.String()
	}
	return shown
}

// asDuration converts a duration of the network.
func asDuration(ns uint64) time.Duration { return time.Duration(min(ns, math.MaxInt64)) }

// shownArgument returns the argument of a call in a form, or in bytes if it has no such form.
func (s *messages) shownArgument(ctx context.Context, i *instance.Instance, h *introspect.HeldMessage, form controlv1.Form) *controlv1.Value {
	bytes := &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: h.Argument}}
	if form != controlv1.Form_FORM_TEXT && form != controlv1.Form_FORM_JSON {
		return bytes
	}
	values, types, err := s.arguments(ctx, i, h)
	if err != nil {
		return bytes
	}
	if form == controlv1.Form_FORM_TEXT {
		return &controlv1.Value{Form: &controlv1.Value_Text{Text: candid.FormatArgs(values)}}
	}
	json, err := did.FormatJSON(values, types)
	if err != nil {
		return bytes
	}
	return &controlv1.Value{Form: &controlv1.Value_Json{Json: string(json)}}
}

// arguments reads an argument by the types of the callee's interface, or by its own.
func (s *messages) arguments(ctx context.Context, i *instance.Instance, h *introspect.HeldMessage) ([]candid.Value, []*candid.Type, error) {
	if method, err := s.methodOf(ctx, i, answered{&h.Callee, h.Method}); err == nil && method != nil {
		if values, err := method.DecodeArgs(h.Argument); err == nil {
			return values, did.Types(method.Args), nil
		}
	}
	return candid.Decode(h.Argument)
}
