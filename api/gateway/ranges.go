package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/api/gateway/internal/verify"
)

// ranges is the progress of a body that a canister sends in ranges although all of it was requested: a canister's reply
// has 3 MiB at most. Each range has its own certificate.
type ranges struct {
	total int64 // bytes of the body
	sent  int64 // bytes that were sent or are being sent
	etag  string
}

// contentRange is a header Content-Range: bytes FIRST-LAST/TOTAL.
type contentRange struct{ first, last, total int64 }

func parseContentRange(header string) (contentRange, error) {
	invalid := fmt.Errorf("invalid header Content-Range %q: expected bytes FIRST-LAST/TOTAL", header)
	rest, ok := strings.CutPrefix(strings.TrimSpace(header), "bytes ")
	span, total, both := strings.Cut(rest, "/")
	first, last, all := strings.Cut(span, "-")
	if !ok || !both || !all {
		return contentRange{}, invalid
	}
	var c contentRange
	for _, part := range []struct {
		text string
		into *int64
	}{{first, &c.first}, {last, &c.last}, {total, &c.total}} {
		n, err := strconv.ParseUint(part.text, 10, 62)
		if err != nil {
			return contentRange{}, invalid
		}
		*part.into = int64(n)
	}
	if c.first > c.last || c.last >= c.total {
		return contentRange{}, invalid
	}
	return c, nil
}

// beginRanges starts with the first answer.
func beginRanges(a *answer) (*ranges, error) {
	if a.stream != nil {
		return nil, errors.New("an answer with status 206 cannot have a streaming_strategy")
	}
	at, err := rangeOf(a)
	switch {
	case err != nil:
		return nil, err
	case at.first != 0:
		return nil, fmt.Errorf("the first range begins at byte %d, not at 0", at.first)
	}
	return &ranges{total: at.total, sent: at.last + 1, etag: valueOf(a.headers, "ETag")}, nil
}

// rangeOf returns the range of an answer, whose length must match.
func rangeOf(a *answer) (contentRange, error) {
	at, err := parseContentRange(valueOf(a.headers, "Content-Range"))
	if err != nil {
		return at, err
	}
	if at.last-at.first+1 != int64(len(a.body)) {
		return at, fmt.Errorf("the range of bytes %d to %d has %d bytes", at.first, at.last, len(a.body))
	}
	return at, nil
}

// sendRanges sends the first range and requests the others. If one of them fails, it cuts the connection.
func (e *exchange) sendRanges(w http.ResponseWriter, r *http.Request, a *answer, whole *ranges) {
	if !write(w, a.body) {
		return
	}
	a.body = nil
	for asked := 0; whole.sent < whole.total; asked++ {
		body, err := e.nextRange(r.Context(), whole)
		if err == nil && asked >= maxParts {
			err = errors.New("the body has too many ranges")
		}
		if err != nil {
			e.gateway.config.Log.Warn("a body in ranges was cut off", "canister", e.canister, "url", e.request.URL, "error", err)
			panic(http.ErrAbortHandler)
		}
		if !write(w, body) {
			return
		}
	}
}

// nextRange requests the next range. It must be of the same body as the earlier ones.
func (e *exchange) nextRange(ctx context.Context, whole *ranges) ([]byte, error) {
	e.memory.Release() // the earlier ranges were sent
	request := *e.request
	request.Headers = append(slices.Clone(e.request.Headers), verify.Header{Name: "range", Value: fmt.Sprintf("bytes=%d-", whole.sent)})
	a, err := e.ask(ctx, &request)
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusPartialContent || a.stream != nil {
		return nil, fmt.Errorf("the canister answers status %d to a request for a range", a.status)
	}
	at, err := rangeOf(a)
	switch {
	case err != nil:
		return nil, err
	case at.total != whole.total || valueOf(a.headers, "ETag") != whole.etag:
		return nil, errors.New("the body changed while its ranges were read")
	case at.first > whole.sent || at.last < whole.sent:
		return nil, fmt.Errorf("the range of bytes %d to %d does not follow byte %d", at.first, at.last, whole.sent-1)
	}
	body := a.body[whole.sent-at.first:]
	whole.sent = at.last + 1
	return body, nil
}
