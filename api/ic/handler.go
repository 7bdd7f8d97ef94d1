package ic

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/origin"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/budget"
)

// Info is the implementation's part of the status endpoint.
type Info struct {
	Version string
	Hash    string // empty: omitted
	// Memory is the budget for bodies and answers; nil: without a limit.
	Memory *budget.Budget
	// Decoders limits how many large bodies are decoded at once; nil: without a limit.
	Decoders Decoders
	// MaxBody is the largest request body in bytes, at most MaxBodyBytes; 0: MaxBodyBytes.
	MaxBody int64
}

// Handler answers the Internet Computer's HTTP interface for one network. It is safe for concurrent use and keeps only
// a wire.Trust.
type Handler struct {
	backend api.Backend
	info    Info
	timeout time.Duration              // of synchronous calls
	trust   atomic.Pointer[wire.Trust] // nil before the first signed request
	signer  signer
}

// New returns the handler for a network.
func New(backend api.Backend, info Info) *Handler {
	return &Handler{backend: backend, info: info, timeout: AnswerTimeout}
}

// maxBody returns the largest request body in bytes.
func (h *Handler) maxBody() int64 {
	if h.info.MaxBody > 0 {
		return min(h.info.MaxBody, MaxBodyBytes)
	}
	return MaxBodyBytes
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	allowOrigin(w.Header())
	to, err := find(r.URL.Path)
	switch {
	case err != nil:
		refuse(w, err)
	case r.Method == http.MethodOptions:
		preflight(w, to.method)
	case r.Method != to.method && !(r.Method == http.MethodHead && to.method == http.MethodGet):
		w.Header().Set("Allow", to.method+", OPTIONS")
		refuse(w, api.WrongMethod.Refuse(r.Method, r.URL.Path, to.method))
	default:
		h.serve(w, r, &to)
	}
}

// serve takes the view only after the body has arrived: a client may be slow, and the answer must come from the present
// state.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, to *target) {
	if to.answer == nil {
		respond(w, http.StatusOK, h.status(h.backend.View()))
		return
	}
	to.foreign = origin.ForeignHeader(r)
	memory := h.info.Memory.NewReservation()
	defer memory.Release()
	body, err := readBody(w, r, h.maxBody(), memory)
	if err == nil {
		err = to.locate(h.backend.View())
	}
	var answer []byte
	if err == nil {
		answer, err = to.answer(h, r.Context(), to, body)
	}
	if err == nil {
		err = memory.Grow(int64(len(answer))) // a slow client holds it
	}
	switch {
	case err != nil:
		refuse(w, err)
	case answer == nil:
		respond(w, http.StatusAccepted, nil)
	default:
		respond(w, http.StatusOK, answer)
	}
}
