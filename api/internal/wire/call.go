package wire

import "github.com/canisterd/canisterd/candid/principal"

// Message is the common part of a call and a query: receiver, method and argument.
type Message struct {
	CanisterID principal.Principal
	MethodName string
	Arg        []byte
}

// Call is an update call (interface specification, "Request: Call").
type Call struct {
	Envelope
	Message
}

// DecodeCall reads the body of a call request. It does not authenticate it.
// Every error is a *refusal.Refusal. The result's slices alias body.
func DecodeCall(body []byte) (*Call, error) {
	call := new(Call)
	if err := openMessage(body, KindCall, &call.Envelope, &call.Message); err != nil {
		return nil, err
	}
	return call, nil
}

func openMessage(body []byte, want Kind, env *Envelope, msg *Message) error {
	content, err := env.open(body, want)
	if err != nil {
		return err
	}
	if err := msg.read(content); err != nil {
		return malformed(want, err)
	}
	if env.SenderInfo, err = readSenderInfo(content); err != nil {
		return malformed(want, err)
	}
	return nil
}

func (m *Message) read(content fields) (err error) {
	if m.CanisterID, err = content.principal("canister_id"); err != nil {
		return err
	}
	method, err := content.text("method_name")
	if err != nil {
		return err
	}
	m.MethodName = string(method)
	m.Arg, err = content.blob("arg")
	return err
}
