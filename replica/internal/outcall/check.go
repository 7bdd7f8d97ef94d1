package outcall

import (
	"fmt"

	"github.com/canisterd/canisterd/replica/internal/state"
)

// Check returns what is wrong with the headers and body of a request or response, in the replica's words; empty if
// nothing is.
func Check(headers [][2]string, body []byte) string {
	name, value, all := 0, 0, 0
	for _, h := range headers {
		name, value = max(name, len(h[0])), max(value, len(h[1]))
		all += len(h[0]) + len(h[1])
	}
	switch {
	case len(headers) > MaxHeaders:
		return fmt.Sprintf("number of all http headers %d exceeds %d", len(headers), MaxHeaders)
	case name > MaxHeaderPartBytes:
		return fmt.Sprintf("number of bytes to represent some http header name %d exceeds %d", name, MaxHeaderPartBytes)
	case value > MaxHeaderPartBytes:
		return fmt.Sprintf("number of bytes to represent some http header value %d exceeds %d", value, MaxHeaderPartBytes)
	case all > MaxHeadersBytes:
		return fmt.Sprintf("total number of bytes to represent all http header names and values %d exceeds %d", all, MaxHeadersBytes)
	case all+len(body) > MaxRequestBytes:
		return fmt.Sprintf("total number of bytes to represent all http header names and values and http body %d exceeds %d", all+len(body), MaxRequestBytes)
	}
	return ""
}

// RequestBytes returns the billed size of a request.
func RequestBytes(sent *state.Outcall) uint64 {
	bytes := len(sent.URL) + len(sent.Body)
	for _, h := range sent.Headers {
		bytes += len(h[0]) + len(h[1])
	}
	if sent.Transform != nil {
		bytes += len(sent.Transform.Method) + len(sent.Transform.Context)
	}
	return uint64(bytes)
}
