package pocketic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// The JSON of one field, for many routes. Bytes are Base64 with padding.
type (
	rawCanister struct {
		CanisterID []byte `json:"canister_id"`
	}
	rawSubnet struct {
		SubnetID []byte `json:"subnet_id"`
	}
	rawPrincipal struct {
		PrincipalID []byte `json:"principal_id"`
	}
	rawNode struct {
		NodeID []byte `json:"node_id"`
	}
	rawTime struct {
		Nanos uint64 `json:"nanos_since_epoch"`
	}
)

func (r rawCanister) read() (principal.Principal, error) { return readID(r.CanisterID, "canister id") }
func (r rawSubnet) read() (principal.Principal, error)   { return readID(r.SubnetID, "subnet id") }

func canisterOf(id principal.Principal) rawCanister   { return rawCanister{id.Bytes()} }
func subnetOf(id principal.Principal) rawSubnet       { return rawSubnet{id.Bytes()} }
func principalOf(id principal.Principal) rawPrincipal { return rawPrincipal{id.Bytes()} }

// readID parses a principal; what names it in errors.
func readID(raw []byte, what string) (principal.Principal, error) {
	id, err := principal.FromBytes(raw)
	if err != nil {
		return id, conversion("Bad " + what)
	}
	return id, nil
}

// amount is a number of cycles as a plain integer.
type amount struct{ cycles.Amount }

// MarshalJSON writes the integer.
func (a amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSON reads an integer, or null as nil.
func (a *amount) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	return a.UnmarshalText(text)
}

// decode decodes a body; an empty one is an empty object.
func decode(body []byte, into any) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return &failure{http.StatusUnprocessableEntity, fmt.Sprintf("Failed to deserialize the JSON body into the target type: %v", err)}
	}
	return nil
}

// The answers of operations that a canister may reject.
type (
	okay[T any] struct {
		Ok T `json:"Ok"`
	}
	rejection struct {
		Err rejectResponse `json:"Err"`
	}
)

// message is the body of a failure.
type message struct {
	Message string `json:"message"`
}

// respond sends a value as JSON.
func respond(w http.ResponseWriter, status int, value any) {
	body, err := encode(value)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"message":"operation returned invalid type"}`)
	}
	w.Header().Set(contentTypeHeader, typeJSON)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone misses it
}

// encode encodes a value as JSON.
func encode(value any) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(body.Bytes(), []byte("\n")), err
}

// refuse sends the failure of an operation.
func refuse(w http.ResponseWriter, err error) {
	status, text := failureOf(err)
	respond(w, status, message{text})
}
