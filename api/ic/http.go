package ic

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/budget"
)

const (
	typeCBOR = "application/cbor"
	typeText = "text/plain; charset=utf-8"
)

// allowOrigin lets scripts of any page read the answers: agents run in browsers, and their requests have their own
// signatures.
func allowOrigin(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
}

// preflight tells a browser what a script may send (the Fetch standard, "CORS protocol").
func preflight(w http.ResponseWriter, method string) {
	header := w.Header()
	header.Set("Access-Control-Allow-Methods", method+", OPTIONS")
	header.Set("Access-Control-Allow-Headers", "Accept, Authorization, Cache-Control, Content-Type, Cookie, DNT, "+
		"If-Modified-Since, If-None-Match, Range, User-Agent, X-Ic-Canister-Id, X-Requested-With")
	header.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
}

// readBody returns the body of a request that is CBOR of at most limit bytes. It reserves its bytes as they arrive: a length
// that is only announced takes nothing from others.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, memory *budget.Reservation) ([]byte, error) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), typeCBOR) {
		return nil, api.WrongContentType.Refuse()
	}
	if r.ContentLength > limit {
		return nil, api.BodyTooLarge.Refuse()
	}
	most := int(limit)
	if r.ContentLength >= 0 {
		most = int(r.ContentLength)
	}
	body, err := wire.ReadAll(http.MaxBytesReader(w, r.Body, limit), most, memory)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, api.BodyGrewTooLarge.Refuse()
	}
	if _, exceeded := errors.AsType[*budget.Exceeded](err); exceeded {
		return nil, err
	}
	if err != nil {
		return nil, api.BodyCutOff.Refuse(err)
	}
	return body, nil
}

func respond(w http.ResponseWriter, status int, body []byte) {
	if len(body) > 0 {
		w.Header().Set("Content-Type", typeCBOR)
	}
	send(w, status, body)
}

// refuse sends an error's status and text.
func refuse(w http.ResponseWriter, err error) {
	status, text := answerTo(err)
	header := w.Header()
	header.Set("Content-Type", typeText)
	header.Set("X-Content-Type-Options", "nosniff")
	if status == http.StatusTooManyRequests {
		header.Set("Retry-After", retryAfter)
	}
	send(w, status, []byte(text))
}

// send sends the whole answer. If the client is gone, the error is dropped.
func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
