package gateway

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/budget"
)

// exchange is one request to a canister in progress.
type exchange struct {
	*target
	gateway *Gateway
	request *verify.Request
	memory  *budget.Reservation
	ranged  bool // the client requests a range itself
}

// answer is a canister's answer, verified if the host requires that.
type answer struct {
	status  int
	headers []verify.Header // to be passed on
	body    []byte
	stream  *position // the rest of the body of an unverified answer; nil for none
	query   bool      // it was a query: ranges can be requested
}

// serveCanister serves a canister's answer.
func (g *Gateway) serveCanister(w http.ResponseWriter, r *http.Request, to *target) {
	release, full := g.slots.take(to.network.Name(), to.canister)
	if full != nil {
		g.refuse(w, r, to, full)
		return
	}
	defer release()
	e := &exchange{target: to, gateway: g, memory: g.config.Memory.NewReservation()}
	defer e.memory.Release()
	err := e.read(w, r)
	var a *answer
	if err == nil {
		a, err = e.ask(r.Context(), e.request)
	}
	if _, refused := errors.AsType[*unverified](err); refused && r.Method == http.MethodHead {
		// Canisters certify their answers to GET, and HEAD is GET without the body.
		asGet := *e.request
		asGet.Method = http.MethodGet
		a, err = e.ask(r.Context(), &asGet)
	}
	if err == nil {
		err = e.send(w, r, a)
	}
	if err != nil {
		g.refuse(w, r, to, faultOf(err, to))
	}
}

// read reads the request.
func (e *exchange) read(w http.ResponseWriter, r *http.Request) error {
	e.request = &verify.Request{Method: r.Method, URL: r.URL.RequestURI(), Headers: requestHeaders(r)}
	e.ranged = has(e.request.Headers, "range") || has(e.request.Headers, "if-range")
	if r.ContentLength == 0 {
		return nil
	}
	if r.ContentLength > maxRequestBody {
		return errRequestBody
	}
	most := maxRequestBody
	if r.ContentLength > 0 {
		most = int(r.ContentLength)
	}
	// Bytes are reserved as they arrive: a length that is only announced takes nothing from others.
	body, err := wire.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBody), most, e.memory)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errRequestBody
	}
	e.request.Body = body
	return err
}

// ask calls the canister, and verifies its answer.
func (e *exchange) ask(ctx context.Context, request *verify.Request) (*answer, error) {
	argument, err := encodeQuery(request)
	if err != nil {
		return nil, err
	}
	reply, at, err := query(ctx, e.network, e.canister, "http_request", argument)
	if err != nil {
		return nil, err
	}
	response, err := e.decode(reply)
	if err != nil {
		return nil, err
	}
	if response.Upgrade != nil && *response.Upgrade {
		return e.upgrade(ctx, request)
	}
	a := &answer{status: int(response.Status), headers: response.Headers, body: response.Body, query: true}
	if a.stream, err = streamOf(response, e.canister); err != nil {
		return nil, &invalidAnswer{err}
	}
	if e.raw || e.gateway.config.Unverified {
		return a, nil
	}
	if err := e.collect(ctx, a); err != nil {
		return nil, err
	}
	return a, e.verify(request, a, at)
}

// upgrade repeats the request as an update, whose answer the subnet has agreed on: it needs no certificate.
func (e *exchange) upgrade(ctx context.Context, request *verify.Request) (*answer, error) {
	argument, err := encodeUpdate(request)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, updateTimeout)
	defer cancel()
	reply, err := update(ctx, e.network, e.canister, "http_request_update", argument)
	if err != nil {
		return nil, err
	}
	response, err := e.decode(reply)
	if err != nil {
		return nil, err
	}
	a := &answer{status: int(response.Status), headers: response.Headers, body: response.Body}
	if a.stream, err = streamOf(response, e.canister); err != nil {
		return nil, &invalidAnswer{err}
	}
	return a, nil
}

func (e *exchange) decode(reply []byte) (*canisterResponse, error) {
	if err := e.memory.Grow(2 * int64(len(reply))); err != nil { // the reply and its body
		return nil, err
	}
	response, err := decodeResponse(reply)
	if err != nil {
		return nil, &invalidAnswer{err}
	}
	return response, nil
}

// verify checks a complete answer, and keeps the headers that may be passed on.
func (e *exchange) verify(request *verify.Request, a *answer, at uint64) error {
	verifier, err := e.gateway.verifier(e.network.Backend().View().RootKey())
	if err != nil {
		return err
	}
	least := func() int { return verify.Least(section(e.network, e.canister, "supported_certificate_versions")) }
	result, err := verifier.Verify(e.canister, at, request, &verify.Response{Status: a.status, Headers: a.headers, Body: a.body}, least)
	if err != nil {
		return &unverified{err}
	}
	a.headers = result.Headers
	return nil
}

// send sends an answer. An error means that nothing was sent.
func (e *exchange) send(w http.ResponseWriter, r *http.Request, a *answer) error {
	assembled := a.status == http.StatusPartialContent && !e.ranged && a.query
	var whole *ranges
	header := w.Header()
	drop := []string{"content-length"}
	if assembled {
		var err error
		if whole, err = beginRanges(a); err != nil {
			return &invalidAnswer{err}
		}
		drop = append(drop, "content-range")
		a.status = http.StatusOK
	}
	if err := passOn(header, e.gateway.withoutCookies(r.Host, e.shared, a.headers), drop...); err != nil {
		clear(header)
		return &invalidAnswer{err}
	}
	header.Set("X-Ic-Canister-Id", e.canister.String())
	allowPages(header)
	switch {
	case whole != nil:
		header.Set("Content-Length", strconv.FormatInt(whole.total, 10))
	case a.stream == nil && a.status != http.StatusNoContent && a.status != http.StatusNotModified:
		header.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	if header.Get("Content-Type") == "" {
		header["Content-Type"] = nil // the server must not guess the type
	}
	w.WriteHeader(a.status)
	if strings.EqualFold(r.Method, http.MethodHead) {
		return nil
	}
	switch {
	case whole != nil:
		e.sendRanges(w, r, a, whole)
	default:
		e.sendStream(w, r, a)
	}
	return nil
}
