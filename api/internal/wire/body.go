package wire

import (
	"io"

	"github.com/canisterd/canisterd/internal/budget"
)

// ReadAll reads a body up to a number of bytes, or to its error, and reserves the size of the buffer.
func ReadAll(from io.Reader, most int, memory *budget.Reservation) ([]byte, error) {
	var body []byte
	for {
		if len(body) == cap(body) {
			// One byte more, for the read that finds the end.
			size := min(max(firstBody, 2*cap(body)), most+1)
			if size == cap(body) {
				size = 2 * cap(body)
			}
			if err := memory.Grow(int64(size - cap(body))); err != nil {
				return nil, err
			}
			grown := make([]byte, len(body), size)
			copy(grown, body)
			body = grown
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
