package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// What the replica allows servers: to be connected to, and to answer whole.
const (
	connectTimeout = 2 * time.Second
	outcallTimeout = 30 * time.Second
)

const (
	// userAgent goes with requests that name none.
	userAgent = "ic/1.0"
	// maxHeadBytes is how much of a response's head is read; what canisters may
	// have of it is less.
	maxHeadBytes = 512 << 10
	// maxIdle is how long connections are kept for the next request.
	maxIdle = 10 * time.Second
	// maxHostBytes is how much of a host's name is shown.
	maxHostBytes = 50
)

// outside is the world outside as canisters reach it: by HTTP, without redirects
// being followed, bodies being unpacked, or proxies of this machine's user.
type outside struct {
	client  http.Client
	timeout time.Duration
}

func newOutside() *outside {
	return &outside{
		timeout: outcallTimeout,
		client: http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext:            (&net.Dialer{Timeout: connectTimeout}).DialContext,
				ForceAttemptHTTP2:      true,
				DisableCompression:     true,
				MaxResponseHeaderBytes: maxHeadBytes,
				MaxIdleConnsPerHost:    maxOutcalls,
				IdleConnTimeout:        maxIdle,
			},
		},
	}
}

func (o *outside) close() { o.client.CloseIdleConnections() }

// fetch makes a request. Rejects have the texts of the replica's HTTP adapter.
func (o *outside) fetch(ctx context.Context, q *replica.Outcall) replica.OutcallAnswer {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	request, failed := requestOf(ctx, q)
	if failed != nil {
		return *failed
	}
	response, err := o.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return rejected(intercanister.SysFatal, "Timeout expired")
		}
		return unreachable(request.URL.Hostname(), err)
	}
	defer func() { _ = response.Body.Close() }() // everything of it that counts is read
	headers, size, failed := headersOf(response)
	if failed != nil {
		return *failed
	}
	if size > q.MaxResponse {
		return rejected(intercanister.SysFatal, "Header size exceeds specified response size limit %d", q.MaxResponse)
	}
	room := int64(q.MaxResponse - size)
	body, err := io.ReadAll(io.LimitReader(response.Body, room+1))
	switch {
	case int64(len(body)) > room:
		return rejected(intercanister.SysFatal, "Http body exceeds size limit of %d bytes.", q.MaxResponse)
	case ctx.Err() != nil:
		return rejected(intercanister.SysFatal, "Timeout expired")
	case err != nil:
		return rejected(intercanister.SysTransient, "Failed to fetch body: %v", err)
	}
	return replica.OutcallAnswer{Status: uint16(response.StatusCode), Headers: headers, Body: body}
}

// unreachable is for a server that cannot be spoken with. The text is in two lines
// as the replica's is.
func unreachable(host string, err error) replica.OutcallAnswer {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return rejected(intercanister.SysTransient, "Connecting to %s failed: direct connect %v\n%sand connect through socks %q",
		host[:min(len(host), maxHostBytes)], err, strings.Repeat(" ", 36), "No SOCKS proxy addresses provided")
}

// requestOf is the request that a canister asks for, or why it is none.
func requestOf(ctx context.Context, q *replica.Outcall) (*http.Request, *replica.OutcallAnswer) {
	fail := func(text string) (*http.Request, *replica.OutcallAnswer) {
		answer := rejected(intercanister.SysFatal, "%s", text)
		return nil, &answer
	}
	request, err := http.NewRequestWithContext(ctx, q.Method, q.URL, bytes.NewReader(q.Body))
	switch {
	case err != nil:
		return fail("Failed to parse URL: invalid uri character")
	case request.URL.Scheme != "https" && request.URL.Scheme != "http":
		return fail("Url need to specify https scheme")
	case request.URL.Host == "":
		return fail("Failed to parse URL: invalid format")
	}
	for _, h := range q.Headers {
		switch {
		case !validName(h[0]):
			return fail("Failed to parse header name invalid HTTP header name")
		case !visible(h[1]):
			return fail("Failed to parse header value failed to parse header value")
		case strings.EqualFold(h[0], "host"):
			request.Host = h[1]
		default:
			request.Header.Add(h[0], h[1])
		}
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", userAgent)
	}
	return request, nil
}

// validName reports whether a text is the name of a header: a token (RFC 9110).
func validName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}

// visible reports whether a text has nothing but what headers may show: ASCII and
// tabs.
func visible(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }) < 0
}

// headersOf are the headers of a response by name, in small letters as all
// protocols but the oldest have them, and how many bytes they are.
func headersOf(response *http.Response) (headers [][2]string, size uint64, failed *replica.OutcallAnswer) {
	for _, coding := range response.TransferEncoding {
		headers = append(headers, [2]string{"transfer-encoding", coding})
	}
	for name, values := range response.Header {
		for _, value := range values {
			headers = append(headers, [2]string{strings.ToLower(name), value})
		}
	}
	slices.SortStableFunc(headers, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	for _, h := range headers {
		if !visible(h[1]) {
			answer := rejected(intercanister.SysTransient, "Failed to parse headers: failed to convert header to a str")
			return nil, 0, &answer
		}
		size += uint64(len(h[0]) + len(h[1]))
	}
	return headers, size, nil
}
