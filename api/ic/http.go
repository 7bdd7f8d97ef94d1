package ic

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/api"
)

const (
	typeCBOR = "application/cbor"
	typeText = "text/plain; charset=utf-8"
)

// allowOrigin lets scripts of any page read the answers: agents run in browsers,
// and what they send carries its own signature.
func allowOrigin(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
}

// preflight tells a browser what a script may send (the Fetch standard, "CORS
// protocol").
func preflight(w http.ResponseWriter, method string) {
	header := w.Header()
	header.Set("Access-Control-Allow-Methods", method+", OPTIONS")
	header.Set("Access-Control-Allow-Headers", "Accept, Authorization, Cache-Control, Content-Type, Cookie, DNT, "+
		"If-Modified-Since, If-None-Match, Range, User-Agent, X-Ic-Canister-Id, X-Requested-With")
	header.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
}

// readBody is the body of a request that says it is CBOR and keeps the limit.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), typeCBOR) {
		return nil, api.WrongContentType.Refuse()
	}
	if r.ContentLength > MaxBodyBytes {
		return nil, api.BodyTooLarge.Refuse(MaxBodyBytes)
	}
	var buffer bytes.Buffer
	if r.ContentLength > 0 {
		// Room for the read that finds the end, so that the buffer does not grow.
		buffer.Grow(min(int(r.ContentLength), firstBody) + bytes.MinRead)
	}
	_, err := buffer.ReadFrom(http.MaxBytesReader(w, r.Body, MaxBodyBytes))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, api.BodyTooLarge.Refuse(MaxBodyBytes)
	}
	if err != nil {
		return nil, api.BodyCutOff.Refuse(err)
	}
	return buffer.Bytes(), nil
}

func respond(w http.ResponseWriter, status int, body []byte) {
	if len(body) > 0 {
		w.Header().Set("Content-Type", typeCBOR)
	}
	send(w, status, body)
}

// refuse answers with an error's status and text.
func refuse(w http.ResponseWriter, err error) {
	status, text := api.Answer(err)
	header := w.Header()
	header.Set("Content-Type", typeText)
	header.Set("X-Content-Type-Options", "nosniff")
	send(w, status, []byte(text))
}

// send writes the answer whole. A client that is gone does not hear it, and that
// is all: there is nobody to tell.
func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
