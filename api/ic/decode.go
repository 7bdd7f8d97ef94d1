package ic

import "context"

// Decoders limits how many large bodies are decoded at once. A body of megabytes of nested CBOR takes a processor for
// 20 ms; eight at once would keep small requests waiting for all of them. One value serves all handlers of a process.
// Nil means no limit.
type Decoders chan struct{}

// NewDecoders allows a number of bodies at once, at least one.
func NewDecoders(places int) Decoders { return make(Decoders, max(places, 1)) }

// decode decodes a body, a large one when it gets a place. The error is a refusal, or the context's.
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
