package gateway

import (
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// queryArgument is the argument of http_request (HTTP gateway protocol specification, "Canister HTTP Interface").
type queryArgument struct {
	Method  string          `ic:"method"`
	URL     string          `ic:"url"`
	Headers []verify.Header `ic:"headers"`
	Body    []byte          `ic:"body"`
	Version *uint16         `ic:"certificate_version"`
}

// updateArgument is the argument of http_request_update.
type updateArgument struct {
	Method  string          `ic:"method"`
	URL     string          `ic:"url"`
	Headers []verify.Header `ic:"headers"`
	Body    []byte          `ic:"body"`
}

// canisterResponse is the reply of both.
type canisterResponse struct {
	Status    uint16           `ic:"status_code"`
	Headers   []verify.Header  `ic:"headers"`
	Body      []byte           `ic:"body"`
	Upgrade   *bool            `ic:"upgrade"`
	Streaming *candid.Reserved `ic:"streaming_strategy"` // nil: the body is complete

	raw []byte // the reply, in which streamOf reads the token with its own type
}

func encodeQuery(r *verify.Request) ([]byte, error) {
	return candid.Marshal(queryArgument{r.Method, r.URL, r.Headers, r.Body, new(uint16(verify.Newest))})
}

func encodeUpdate(r *verify.Request) ([]byte, error) {
	return candid.Marshal(updateArgument{r.Method, r.URL, r.Headers, r.Body})
}

// decodeText returns the text of a reply, "" if it is something else.
func decodeText(reply []byte) string {
	text := ""
	if err := candid.Unmarshal(reply, &text); err != nil {
		return ""
	}
	return text
}

func decodeResponse(reply []byte) (*canisterResponse, error) {
	r := &canisterResponse{raw: reply}
	if err := candid.Unmarshal(reply, r); err != nil {
		return nil, fmt.Errorf("its type must be record { status_code : nat16; headers : vec record { text; text }; body : blob }: %w", err)
	}
	if r.Status < 200 || r.Status > 599 {
		return nil, fmt.Errorf("invalid status code %d: expected 200 to 599", r.Status)
	}
	return r, nil
}

// position is where a stream continues: a method of a canister and the token for its next part, whose type the canister
// chooses.
type position struct {
	callback candid.Func
	token    candid.Value
	kind     *candid.Type
}

// streamOf returns the beginning of the stream of a response; nil if it has none.
func streamOf(r *canisterResponse, canister principal.Principal) (*position, error) {
	if r.Streaming == nil {
		return nil, nil
	}
	values, types, err := candid.Decode(r.raw)
	if err != nil {
		return nil, err
	}
	at := place{values[0], types[0]}.field("streaming_strategy").some().inCase("Callback")
	token := at.field("token")
	callback, ok := at.field("callback").value.(candid.Func)
	switch {
	case !ok || token.value == nil:
		return nil, errors.New("invalid streaming_strategy: expected variant { Callback : record { callback : func; token } }")
	case callback.Service != canister:
		return nil, fmt.Errorf("the callback of the stream is a method of canister %s, not of %s", callback.Service, canister)
	}
	return &position{callback, token.value, token.kind}, nil
}

// part reads the reply of a callback: a part of the body, and where the stream continues, nil at its end.
func (p *position) part(reply []byte) (body []byte, next *position, err error) {
	var part struct {
		Body  []byte           `ic:"body"`
		Token *candid.Reserved `ic:"token"`
	}
	if err := candid.Unmarshal(reply, &part); err != nil {
		return nil, nil, fmt.Errorf("its type must be record { body : blob; token : opt token }: %w", err)
	}
	if part.Token == nil {
		return part.Body, nil, nil
	}
	values, types, err := candid.Decode(reply)
	if err != nil {
		return nil, nil, err
	}
	token := place{values[0], types[0]}.field("token").some()
	if token.value == nil {
		return nil, nil, errors.New("invalid token of the next part")
	}
	return part.Body, &position{p.callback, token.value, token.kind}, nil
}

// argument encodes the argument of the callback.
func (p *position) argument() ([]byte, error) {
	return candid.Encode([]candid.Value{p.token}, []*candid.Type{p.kind})
}

// place is a value in a message with its type; the zero place is nothing.
type place struct {
	value candid.Value
	kind  *candid.Type
}

func (p place) field(name string) place {
	record, ok := p.value.(candid.Record)
	if !ok {
		return place{}
	}
	return place{record.Get(name), typeOf(p.kind, name)}
}

// some returns the content of an option.
func (p place) some() place {
	option, ok := p.value.(candid.Opt)
	if !ok || option.Value == nil {
		return place{}
	}
	return place{option.Value, p.kind.Elem()}
}

// inCase returns the value of a variant's case.
func (p place) inCase(name string) place {
	variant, ok := p.value.(candid.Variant)
	if !ok || variant.ID != candid.Hash(name) {
		return place{}
	}
	return place{variant.Value, typeOf(p.kind, name)}
}

// typeOf returns the type of a field or a case.
func typeOf(kind *candid.Type, name string) *candid.Type {
	id := candid.Hash(name)
	for _, f := range kind.Fields() {
		if f.ID == id {
			return f.Type
		}
	}
	return nil
}
