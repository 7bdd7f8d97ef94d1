package daemon

import (
	"bytes"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// recordedConn is a connection of HTTP/1 that records the head of the current response. The HTTP client changes the
// headers it returns: it deletes connection: close, trailer, and content-length next to a transfer encoding, and adds
// cache-control to pragma. Canisters and their limits get what the server sent.
type recordedConn struct {
	net.Conn

	mu      sync.Mutex    // guards current, and what it points to
	current *recordedHead // nil while nothing is recorded
}

// recordedHead holds the bytes read for one request: at most maxHeadBytes and one Read more. The client gives a
// connection to the next request before the caller of the last one has its response, so each request has its own
// recording.
type recordedHead struct{ read []byte }

// record starts a recording: the next request is about to be sent.
func (c *recordedConn) record() *recordedHead {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = new(recordedHead)
	return c.current
}

// take ends a recording and returns it.
func (c *recordedConn) take(head *recordedHead) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == head {
		c.current = nil
	}
	return head.read
}

// Read reads and records.
func (c *recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil && len(c.current.read) < maxHeadBytes {
		c.current.read = append(c.current.read, p[:n]...)
	}
	return n, err
}

// sentHeaders returns the headers of the last head in recorded bytes, names in lower case. Those with the same name
// follow the first of them; otherwise they are in the server's order. Informational responses (1xx) come before the
// last head.
func sentHeaders(recorded []byte) (headers [][2]string) {
	informational := false
	for first := true; len(recorded) > 0; {
		var line []byte
		line, recorded, _ = bytes.Cut(recorded, []byte("\n"))
		line = bytes.TrimRight(line, "\r")
		switch name, value, _ := bytes.Cut(line, []byte(":")); {
		case len(line) == 0 && first:
			continue // empty lines before a status line are ignored
		case first:
			_, status, _ := bytes.Cut(line, []byte(" "))
			informational, first = bytes.HasPrefix(status, []byte("1")), false
		case len(line) == 0 && informational:
			headers, first = nil, true
		case len(line) == 0:
			return grouped(headers)
		case (line[0] == ' ' || line[0] == '\t') && len(headers) > 0: // a folded value continues
			last := &headers[len(headers)-1]
			last[1] = strings.TrimSpace(last[1] + " " + string(bytes.TrimSpace(line)))
		default:
			headers = append(headers, [2]string{strings.ToLower(string(bytes.TrimSpace(name))), string(bytes.Trim(value, " \t"))})
		}
	}
	return grouped(headers)
}

// grouped moves headers to the first one of the same name.
func grouped(headers [][2]string) [][2]string {
	position := make(map[string]int)
	for _, h := range headers {
		if _, known := position[h[0]]; !known {
			position[h[0]] = len(position)
		}
	}
	slices.SortStableFunc(headers, func(a, b [2]string) int { return position[a[0]] - position[b[0]] })
	return headers
}

// decodedHeaders returns the headers of a response over HTTP/2, ordered by name: the client keeps all of them except
// trailer, whose names it keeps elsewhere.
func decodedHeaders(response *http.Response) (headers [][2]string) {
	for name, values := range response.Header {
		for _, value := range values {
			headers = append(headers, [2]string{strings.ToLower(name), value})
		}
	}
	if len(response.Trailer) > 0 {
		var names []string
		for name := range response.Trailer {
			names = append(names, strings.ToLower(name))
		}
		slices.Sort(names)
		headers = append(headers, [2]string{"trailer", strings.Join(names, ", ")})
	}
	slices.SortStableFunc(headers, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return headers
}
