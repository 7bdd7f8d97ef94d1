package daemon

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// The replica's limits for servers: to connect, and to answer completely.
const (
	connectTimeout = 2 * time.Second
	outcallTimeout = 30 * time.Second
)

const (
	// userAgent is sent with requests that have none.
	userAgent = "ic/1.0"
	// maxHeadBytes limits the head of a response that is read; canisters may have less of it.
	maxHeadBytes = 512 << 10
	// maxIdle is how long idle connections are kept for the next request.
	maxIdle = 10 * time.Second
	// maxHostBytes is how much of a host's name is shown.
	maxHostBytes = 50
)

// outcallClient is the HTTP client for canisters' outcalls. It follows no redirects, decompresses no bodies and ignores
// the proxies of this machine's user.
type outcallClient struct {
	client  http.Client
	strict  bool           // as on mainnet: https only
	reach   reach          // which servers of this machine and its networks are allowed
	roots   *x509.CertPool // to verify certificates; nil for the system's
	timeout time.Duration
}

func newOutcallClient(strict bool, reach reach) *outcallClient {
	c := &outcallClient{strict: strict, reach: reach, timeout: outcallTimeout}
	c.client = http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            c.dial,
			DialTLSContext:         c.dialTLS,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeadBytes,
			MaxIdleConnsPerHost:    maxOutcalls,
			IdleConnTimeout:        maxIdle,
		},
	}
	return c
}

func (c *outcallClient) close() { c.client.CloseIdleConnections() }

// connect opens a connection to a server. It checks each address that is about to be dialed: a name may resolve to
// another one the next time.
func (c *outcallClient) connect(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: connectTimeout, Control: func(_, dialed string, _ syscall.RawConn) error { return c.reach.check(address, dialed) }}
	return dialer.DialContext(ctx, network, address)
}

// dial opens a connection for HTTP/1 without TLS.
func (c *outcallClient) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &recordedConn{Conn: conn}, nil
}

// dialTLS opens a connection with TLS. The HTTP client checks its type for HTTP/2, so only those for HTTP/1 are
// recorded.
func (c *outcallClient) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	host, _, err := net.SplitHostPort(address)
	secure := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: c.roots, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12})
	if err == nil {
		err = secure.HandshakeContext(ctx)
	}
	if err != nil {
		_ = conn.Close() // nothing was sent
		return nil, err
	}
	if secure.ConnectionState().NegotiatedProtocol == "h2" {
		return secure, nil
	}
	return &recordedConn{Conn: secure}, nil
}

// send sends a request. The returned headers are those the server sent.
func (c *outcallClient) send(request *http.Request) (response *http.Response, headers [][2]string, err error) {
	var conn *recordedConn // nil for HTTP/2
	var head *recordedHead
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if conn, _ = info.Conn.(*recordedConn); conn != nil {
			head = conn.record()
		}
	}}
	response, err = c.client.Do(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	switch {
	case err != nil:
		return nil, nil, err
	case conn == nil:
		return response, decodedHeaders(response), nil
	}
	return response, sentHeaders(conn.take(head)), nil
}

// fetch makes a request. Rejects have the texts of the replica's HTTP adapter.
func (c *outcallClient) fetch(ctx context.Context, q *replica.Outcall) replica.OutcallAnswer {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := c.requestOf(ctx, q)
	if err != nil {
		return rejected(intercanister.SysFatal, "%v", err)
	}
	response, headers, err := c.send(request)
	if err != nil {
		if ctx.Err() != nil {
			return rejected(intercanister.SysFatal, "Timeout expired")
		}
		return unreachable(request.URL.Hostname(), err)
	}
	defer func() { _ = response.Body.Close() }() // everything needed was read
	size, limit := uint64(0), q.DownloadLimit()
	for _, h := range headers {
		if !visible(h[1]) {
			return rejected(intercanister.SysTransient, "Failed to parse headers: failed to convert header to a str")
		}
		size += uint64(len(h[0]) + len(h[1]))
	}
	if size > limit {
		return rejected(intercanister.SysFatal, "Header size exceeds specified response size limit %d", limit)
	}
	room := int64(limit - size)
	body, err := io.ReadAll(io.LimitReader(response.Body, room+1))
	switch {
	case int64(len(body)) > room:
		return rejected(intercanister.SysFatal, "Http body exceeds size limit of %d bytes.", limit)
	case ctx.Err() != nil:
		return rejected(intercanister.SysFatal, "Timeout expired")
	case err != nil:
		return rejected(intercanister.SysTransient, "Failed to fetch body: %v", err)
	}
	return replica.OutcallAnswer{Status: uint16(response.StatusCode), Headers: headers, Body: body}
}

// unreachable is the answer for a server that cannot be reached. The text has two lines like the replica's.
func unreachable(host string, err error) replica.OutcallAnswer {
	if local, ok := errors.AsType[*unreachableError](err); ok {
		return rejected(intercanister.SysFatal, "%v", local)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return rejected(intercanister.SysTransient, "Connecting to %s failed: direct connect %v\n%sand connect through socks %q",
		host[:min(len(host), maxHostBytes)], err, strings.Repeat(" ", 36), "No SOCKS proxy addresses provided")
}

// The replica's texts about headers that it cannot send.
var (
	errHeaderName  = errors.New("Failed to parse header name invalid HTTP header name")
	errHeaderValue = errors.New("Failed to parse header value failed to parse header value")
)

// requestOf returns the request for a canister's outcall.
func (c *outcallClient) requestOf(ctx context.Context, q *replica.Outcall) (*http.Request, error) {
	to, err := parseURL(q.URL, c.strict)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, q.Method, to.Scheme+"://"+to.Host, bytes.NewReader(q.Body))
	if err != nil {
		return nil, errURLAuthority
	}
	request.URL = to
	for _, h := range q.Headers {
		switch {
		case !validName(h[0]):
			return nil, errHeaderName
		case !visible(h[1]):
			return nil, errHeaderValue
		case strings.EqualFold(h[0], "host"):
			request.Host = h[1]
		default:
			request.Header.Add(h[0], h[1])
		}
	}
	if request.Header["User-Agent"] == nil {
		request.Header.Set("User-Agent", userAgent)
	}
	return request, nil
}

// validName reports whether a text is the name of a header: a token (RFC 9110).
func validName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !alphanumeric(r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}

// visible reports whether a text has only characters that headers may show: ASCII and tabs.
func visible(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }) < 0
}
