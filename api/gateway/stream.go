package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// errLongStream is for a stream that is too long to be verified.
var errLongStream = fmt.Errorf("the stream has more than %d bytes or %d parts, which is the most that is collected to be verified", maxVerifiedBody, maxParts)

// next requests the next part of a stream. The position is nil at its end.
func (e *exchange) next(ctx context.Context, at *position) ([]byte, *position, error) {
	argument, err := at.argument()
	if err != nil {
		return nil, nil, &invalidAnswer{err}
	}
	reply, _, err := query(ctx, e.network, e.canister, at.callback.Method, argument)
	if err != nil {
		return nil, nil, fmt.Errorf("the callback %s of the stream: %w", at.callback.Method, err)
	}
	body, next, err := at.part(reply)
	if err != nil {
		return nil, nil, &invalidAnswer{fmt.Errorf("the reply of the callback %s: %w", at.callback.Method, err)}
	}
	return body, next, nil
}

// collect appends the parts of a stream to the body.
func (e *exchange) collect(ctx context.Context, a *answer) error {
	for parts := 0; a.stream != nil; parts++ {
		body, next, err := e.next(ctx, a.stream)
		if err != nil {
			return err
		}
		if parts >= maxParts || len(a.body)+len(body) > maxVerifiedBody {
			return &unverified{errLongStream}
		}
		if err := e.memory.Grow(2 * int64(len(body))); err != nil { // append copies
			return err
		}
		a.body = append(a.body, body...)
		a.stream = next
	}
	return nil
}

// sendStream sends a body, and the rest of its stream part by part. If the stream fails in the middle, it cuts the
// connection, so that the client does not take the body for complete.
func (e *exchange) sendStream(w http.ResponseWriter, r *http.Request, a *answer) {
	if !write(w, a.body) {
		return
	}
	for parts := 0; a.stream != nil; parts++ {
		body, next, err := e.next(r.Context(), a.stream)
		if err == nil && parts >= maxParts {
			err = errors.New("the stream has too many parts")
		}
		if err != nil {
			e.gateway.config.Log.Warn("a stream was cut off", "canister", e.canister, "url", e.request.URL, "error", err)
			panic(http.ErrAbortHandler)
		}
		if !write(w, body) {
			return
		}
		a.stream = next
	}
}

// write sends a part of a body; it returns false if the client is gone. Each part has its own timeout.
func write(w http.ResponseWriter, body []byte) bool {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(partTimeout))
	_, err := w.Write(body)
	return err == nil
}
