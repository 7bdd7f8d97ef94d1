package inspect

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// message is an argument or a reply that a page has as bytes.
type message struct {
	Instance string `json:"instance"`
	Canister string `json:"canister"` // whose interface has the method
	Method   string `json:"method"`
	Reply    bool   `json:"reply"`
	Bytes    []byte `json:"bytes"`
}

// serveValues answers with a message in Candid's text form, with the types of the canister's interface or, without one,
// those that the message has. The control API has such messages as bytes where a rule holds them.
func (h *Handler) serveValues(w http.ResponseWriter, r *http.Request) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, failure{Code: "invalid_argument", Message: "values are decoded for POST, not " + r.Method})
		return
	case kind != unaryType:
		writeError(w, http.StatusUnsupportedMediaType, failure{Code: "invalid_argument", Message: "values take " + unaryType + ", not " + kind})
		return
	}
	memory := h.config.Memory.NewReservation()
	defer memory.Release()
	body, err := readBody(r, memory)
	var of message
	if err == nil {
		if failed := json.Unmarshal(body, &of); failed != nil {
			err = &badRequest{fmt.Sprintf("the request is not a message: %v", failed)}
		}
	}
	var values []candid.Value
	if err == nil {
		values, err = h.decode(r, &of)
	}
	var text []byte
	if err == nil {
		text, _ = json.Marshal(map[string]string{"text": candid.PrettyArgs(values)}) // a text
		err = memory.Grow(2 * int64(len(text)))
	}
	if err != nil {
		sendFailure(w, err)
		return
	}
	writeJSON(w, http.StatusOK, text)
}

// decode decodes a message.
func (h *Handler) decode(r *http.Request, of *message) ([]candid.Value, error) {
	in := &controlv1.GetInterfaceRequest{Instance: of.Instance, CanisterId: of.Canister}
	out, err := controlv1.NewCanistersClient(h.config.Control).GetInterface(r.Context(), in, grpc.MaxCallRecvMsgSize(maxAnswer))
	if err == nil {
		if file, err := did.Parse(out.GetCandid()); err == nil {
			if m, ok := file.Method(of.Method); ok {
				read := m.DecodeArgs
				if of.Reply {
					read = m.DecodeResults
				}
				if values, err := read(of.Bytes); err == nil {
					return values, nil
				}
			}
		}
	}
	values, _, err := candid.Decode(of.Bytes)
	if err != nil {
		return nil, &badRequest{fmt.Sprintf("the message is not Candid: %v", err)}
	}
	return values, nil
}
