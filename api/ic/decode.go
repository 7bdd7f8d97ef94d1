package ic

import "context"

// Decoders limits how many large requests take a processor at once. A body of megabytes of nested CBOR takes one for
// 20 ms, the proofs of 1,000 paths for some, a reply of 2 MB for a few; eight at once would keep small requests waiting
// for all of them. One value serves all handlers of a process. Nil means no limit.
type Decoders chan struct{}

// NewDecoders allows a number of bodies at once, at least one.
func NewDecoders(places int) Decoders { return make(Decoders, max(places, 1)) }

// decode decodes a body, a large one when it gets a place. The error is a refusal, or the context's.
func decode[T any](ctx context.Context, places Decoders, body []byte, do func([]byte) (T, error)) (decoded T, err error) {
	leave, err := places.enter(ctx, len(body) > largeBody)
	if err != nil {
		return decoded, err
	}
	defer leave()
	return do(body)
}

// enter waits for a place if a request is large. The error is the context's.
func (d Decoders) enter(ctx context.Context, large bool) (leave func(), err error) {
	if d == nil || !large {
		return func() {}, nil
	}
	select {
	case d <- struct{}{}:
		return func() { <-d }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
