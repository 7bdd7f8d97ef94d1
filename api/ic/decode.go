package ic

import "context"

// Decoders are the places in which large bodies are decoded. A body of megabytes of nested CBOR
// takes a processor for 20 ms; eight at once would keep small requests waiting for all of them.
// One value serves all handlers of a process. Nil has no bound.
type Decoders chan struct{}

// NewDecoders makes a number of places, at least one.
func NewDecoders(places int) Decoders { return make(Decoders, max(places, 1)) }

// decode decodes a body, a large one when there is a place for it. The error is a refusal, or the
// context's.
func decode[T any](ctx context.Context, places Decoders, body []byte, do func([]byte) (T, error)) (decoded T, err error) {
	if places != nil && len(body) > largeBody {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		case <-ctx.Done():
			return decoded, ctx.Err()
		}
	}
	return do(body)
}
