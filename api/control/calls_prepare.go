package control

import (
	"context"
	"strconv"

	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// preparedCall is a call after it was parsed.
type preparedCall struct {
	instance  *instance.Instance
	sender    principal.Principal
	receiver  principal.Principal
	effective principal.Principal // the canister id it is routed by
	method    string
	arg       []byte
	form      controlv1.Form
	described *did.Method // in the canister's interface; nil if there is none or it is not needed
	anySize   bool
	wait      wait
}

// noArguments is the argument of a method that takes none.
var noArguments = []byte("DIDL\x00\x00")

// prepareCallTo parses a call to the instance with a name.
func (s *calls) prepareCallTo(ctx context.Context, instance string, c *controlv1.Call) (*preparedCall, error) {
	i, err := s.instance(instance)
	if err != nil {
		return nil, err
	}
	return s.prepareCall(ctx, i, c)
}

// prepareCall parses a call.
func (s *calls) prepareCall(ctx context.Context, i *instance.Instance, c *controlv1.Call) (*preparedCall, error) {
	if c == nil {
		return nil, MissingField.Refuse("call", "what to call")
	}
	o := &preparedCall{instance: i, method: c.GetMethod(), form: c.GetReplyForm()}
	var err error
	if o.receiver, err = requiredPrincipal("call.canister_id", c.GetCanisterId()); err != nil {
		return nil, err
	}
	if o.method == "" {
		return nil, MissingField.Refuse("call.method", "the name of a method")
	}
	if o.sender, err = senderOf("call.sender", c.GetSender()); err != nil {
		return nil, err
	}
	if err := checkForm("call.reply_form", o.form); err != nil {
		return nil, err
	}
	if err := s.describe(ctx, o, c.GetArgument()); err != nil {
		return nil, err
	}
	if o.arg, err = o.argument(c.GetArgument()); err != nil {
		return nil, err
	}
	if text := c.GetEffectiveCanisterId(); text != "" {
		o.effective, err = requiredPrincipal("call.effective_canister_id", text)
		return o, err
	}
	o.effective = effectiveOf(i, o.receiver, o.arg)
	return o, nil
}

// requiredPrincipal parses a principal that must be set.
func requiredPrincipal(field, text string) (principal.Principal, error) {
	p, err := readPrincipal(field, text)
	if err != nil {
		return principal.Principal{}, err
	}
	return *p, nil
}

// senderOf parses the sender of a call.
func senderOf(field, text string) (principal.Principal, error) {
	if text == "" {
		return principal.Anonymous, nil
	}
	return requiredPrincipal(field, text)
}

func checkForm(field string, form controlv1.Form) error {
	if _, known := controlv1.Form_name[int32(form)]; !known {
		return BadField.Refuse(field, strconv.Itoa(int(form)), "a form is bytes, text or JSON")
	}
	return nil
}

// effectiveOf returns the default canister id for routing a call: for the management canister the canister that its
// argument is about, or else any of the network.
func effectiveOf(i *instance.Instance, receiver principal.Principal, arg []byte) principal.Principal {
	if receiver != principal.Management {
		return receiver
	}
	return management.EffectiveCanister(arg, i.Driver().View().DefaultCanister())
}
