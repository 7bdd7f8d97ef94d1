package inspect

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/budget"
)

// errTooLong is for a message of more than maxMessage bytes.
var errTooLong = &badRequest{fmt.Sprintf("a message has more than %d bytes, which is the limit: send less in one message", maxMessage)}

// readBody reads a request of one message. It reserves memory for the text as it arrives, and for its message.
func readBody(r *http.Request, memory *budget.Reservation) ([]byte, error) {
	body, err := wire.ReadAll(io.LimitReader(r.Body, maxMessage+1), maxMessage+1, memory)
	_, spent := errors.AsType[*budget.Exceeded](err)
	switch {
	case err != nil && !spent:
		return nil, &badRequest{fmt.Sprintf("reading the request: %v", err)}
	case err != nil:
		return nil, err
	case len(body) > maxMessage:
		return nil, errTooLong
	}
	return body, memory.Grow(int64(len(body)))
}

// readLine reads a message that ends with its line. It reserves memory for the text and its message. At the end of the
// request, the error is io.EOF.
func readLine(from *bufio.Reader, memory *budget.Reservation) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		if failed := memory.Grow(2 * int64(len(part))); failed != nil {
			return nil, failed
		}
		line = append(line, part...)
		switch {
		case len(line) > maxMessage:
			return nil, errTooLong
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, &badRequest{fmt.Sprintf("reading the messages: %v", err)}
		}
	}
}
