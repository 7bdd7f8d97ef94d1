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
	env, msg, err := openMessage(body, KindCall)
	if err != nil {
		return nil, err
	}
	return &Call{env, msg}, nil
}

func openMessage(body []byte, want Kind) (Envelope, Message, error) {
	env, content, err := open(body, want)
	if err != nil {
		return Envelope{}, Message{}, err
	}
	msg, err := readMessage(content)
	if err != nil {
		return Envelope{}, Message{}, malformed(want, err)
	}
	if env.SenderInfo, err = readSenderInfo(content); err != nil {
		return Envelope{}, Message{}, malformed(want, err)
	}
	return env, msg, nil
}

func readMessage(content fields) (msg Message, err error) {
	if msg.CanisterID, err = content.principal("canister_id"); err != nil {
		return Message{}, err
	}
	if msg.MethodName, err = content.text("method_name"); err != nil {
		return Message{}, err
	}
	msg.Arg, err = content.blob("arg")
	return msg, err
}
