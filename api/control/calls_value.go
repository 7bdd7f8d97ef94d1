package control

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// describe finds the method in the interface of the canister if a form of the call needs it. Only JSON requires an
// argument's types: text has its own, and without an interface a reply is read by the types in it.
func (s *calls) describe(ctx context.Context, o *preparedCall, argument *controlv1.Value) error {
	_, json := argument.GetForm().(*controlv1.Value_Json)
	_, text := argument.GetForm().(*controlv1.Value_Text)
	if !json && !text && o.form != controlv1.Form_FORM_TEXT && o.form != controlv1.Form_FORM_JSON {
		return nil
	}
	file, err := s.interfaceOf(ctx, o.instance, o.receiver)
	if err != nil {
		if json {
			return err
		}
		return ignoreMissing(err)
	}
	if method, ok := file.Method(o.method); ok {
		o.described = &method
	} else if json {
		return notInInterface.Refuse(o.receiver, o.method)
	}
	return nil
}

// ignoreMissing ignores the refusals for a canister without a readable interface.
func ignoreMissing(err error) error {
	if refused, ok := errors.AsType[*Error](err); ok && (refused.Reason == noInterface || refused.Reason == badInterface) {
		return nil
	}
	return err
}

// argument encodes the argument of a call.
func (o *preparedCall) argument(v *controlv1.Value) ([]byte, error) {
	switch form := v.GetForm().(type) {
	case *controlv1.Value_Bytes:
		return form.Bytes, nil
	case *controlv1.Value_Text:
		raw, err := o.fromText(form.Text)
		return raw, refuseArgument(o.method, o.takes(), err)
	case *controlv1.Value_Json:
		raw, err := o.described.ArgsFromJSON([]byte(form.Json))
		return raw, refuseArgument(o.method, o.takes(), err)
	}
	return noArguments, nil
}

func (o *preparedCall) fromText(text string) ([]byte, error) {
	if o.described != nil {
		return o.described.EncodeArgs(text)
	}
	return untyped(text)
}

// untyped parses an argument list without an interface.
func untyped(text string) ([]byte, error) {
	values, err := candid.ParseArgs(text)
	if err != nil {
		return nil, err
	}
	return candid.EncodeValues(values...)
}

// takes returns the types of the arguments of the method, "" if they are unknown.
func (o *preparedCall) takes() string {
	if o.described == nil {
		return ""
	}
	return did.FormatTypes(o.described.Args)
}

// refuseArgument refuses an argument that does not match its type, takes.
func refuseArgument(method, takes string, err error) error {
	if err == nil {
		return nil
	}
	if takes != "" && len(takes) <= maxTypesShown {
		err = fmt.Errorf("%w; expected %s", err, takes)
	}
	if e, ok := errors.AsType[*did.JSONError](err); ok {
		return badArgument.Refuse(method, err, e.Path)
	}
	return badArgument.Refuse(method, err)
}

// valueOf returns a reply in a form. If it is not Candid it stays bytes, whatever form was requested: the call was
// made, and its answer must not be lost.
func valueOf(reply []byte, form controlv1.Form, described *did.Method) *controlv1.Value {
	switch form {
	case controlv1.Form_FORM_TEXT:
		if values, _, err := read(reply, described); err == nil {
			return &controlv1.Value{Form: &controlv1.Value_Text{Text: candid.FormatArgs(values)}}
		}
	case controlv1.Form_FORM_JSON:
		if values, types, err := read(reply, described); err == nil {
			if json, err := did.FormatJSON(values, types); err == nil {
				return &controlv1.Value{Form: &controlv1.Value_Json{Json: string(json)}}
			}
		}
	}
	return &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: reply}}
}

// read reads a reply at the types of the interface, or at its own types without an interface or if the reply
// does not match.
func read(reply []byte, described *did.Method) ([]candid.Value, []*candid.Type, error) {
	if described != nil {
		if values, err := described.DecodeResults(reply); err == nil {
			return values, did.Types(described.Results), nil
		}
	}
	return candid.Decode(reply)
}

// describedAs returns the method that received a message, for the form of its reply; nil if it is unknown.
func (s *calls) describedAs(ctx context.Context, i *instance.Instance, receiver principal.Principal, method string, form controlv1.Form) (*did.Method, error) {
	o := &preparedCall{instance: i, receiver: receiver, method: method, form: form}
	err := s.describe(ctx, o, nil)
	return o.described, err
}
