package component

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// hostEnd is an end of a stream or future outside components.
type hostEnd struct {
	shared   *rendezvous
	readable bool
	gone     bool // passed to a component, or closed
	counted  bool // among the open ends of the host
}

// count counts an end that the host may use: a component that waits is not in a deadlock.
func (e *hostEnd) count() {
	if !e.gone && !e.counted {
		e.counted = true
		e.shared.host.openEnds++
	}
}

// leave takes the end out of the host's hands.
func (e *hostEnd) leave() {
	e.gone = true
	if e.counted {
		e.counted = false
		e.shared.host.openEnds--
	}
}

// mismatch says why the end cannot be passed to a component as one with a type of elements.
func (e *hostEnd) mismatch(element *valueType) string {
	switch {
	case e == nil:
		return "expected the readable end of a stream or future, found nil"
	case e.gone:
		return fmt.Sprintf("the %s was closed or passed to a component", e.shared.name())
	case e.shared.host != nil && !sameType(e.shared.element, element):
		return fmt.Sprintf("the %s has elements of another type", e.shared.name())
	}
	return ""
}

// Close drops the end. The component learns of it.
func (e *hostEnd) Close() error {
	if e.gone {
		return nil
	}
	e.leave()
	if e.shared.host == nil {
		e.shared.dropped = true
		return nil
	}
	return e.shared.host.apply(e.shared.drop)
}

// hostCopy is a copy of an end of the host.
type hostCopy struct {
	partial, ended bool
	result         copyResult
}

func (c *hostCopy) progress()              { c.partial = true }
func (c *hostCopy) done(result copyResult) { c.ended, c.result = true, result }
func (c *hostCopy) finished() bool         { return c.partial || c.ended }

// copy copies values with the other end, and runs the instance until some were copied.
func (e *hostEnd) copy(ctx context.Context, buffer *copyBuffer) (result copyResult, err error) {
	r := e.shared
	switch {
	case e.gone:
		return 0, fmt.Errorf("the %s was closed or passed to a component", r.name())
	case r.host == nil:
		return 0, fmt.Errorf("the other end of the %s was not passed to a component yet", r.name())
	}
	buffer.element = r.element
	c := &hostCopy{}
	err = r.host.run(ctx, func() { r.copy(c, buffer, e.readable) })
	if err == nil {
		err = r.host.runUntil(ctx, c.finished)
	}
	if r.end == copier(c) {
		r.reset()
	}
	if c.finished() {
		err = nil
	}
	return c.result, err
}

// Stream is the readable end of a stream outside components. A host passes it to a component, which owns it then, or reads
// it and closes it with Close.
type Stream struct {
	hostEnd
	err error // of the writer that it was piped to
}

// Future is the readable end of a future outside components. A host passes it to a component, which owns it then, or waits
// for its value. Close drops it.
type Future struct{ hostEnd }

func (s *Stream) end() *hostEnd {
	if s == nil {
		return nil
	}
	return &s.hostEnd
}

func (f *Future) end() *hostEnd {
	if f == nil {
		return nil
	}
	return &f.hostEnd
}

// StreamWriter is the writable end of a stream, whose readable end a component has. Close ends the stream.
type StreamWriter struct{ hostEnd }

// FutureWriter is the writable end of a future, whose readable end a component has. It must be set: a future has a value
// before it is dropped.
type FutureWriter struct{ writable hostEnd }

// NewStream makes a stream whose readable end is passed to a component.
func NewStream() (*Stream, *StreamWriter) {
	r := &rendezvous{}
	w := &StreamWriter{hostEnd{shared: r}}
	r.writer = &w.hostEnd
	return &Stream{hostEnd: hostEnd{shared: r, readable: true}}, w
}

// NewFuture makes a future whose readable end is passed to a component.
func NewFuture() (*Future, *FutureWriter) {
	r := &rendezvous{future: true}
	w := &FutureWriter{hostEnd{shared: r}}
	r.writer = &w.writable
	return &Future{hostEnd{shared: r, readable: true}}, w
}

// StreamOf makes a stream of bytes that reads from r when the component reads, so r should not block for long. At the end
// of r it is dropped; another error traps.
func StreamOf(r io.Reader) *Stream {
	from := func(to *copyBuffer) copyResult {
		if to.element == nil || !to.element.isByte() {
			trap("a stream of an io.Reader must be one of u8")
		}
		for range maxEmptyReads {
			n, err := r.Read(to.rawBytes(to.length))
			to.progress = uint32(n)
			switch {
			case n > 0, to.length == 0:
				return copyCompleted
			case errors.Is(err, io.EOF):
				return copyDropped
			case err != nil:
				panic(&Trap{Reason: "reading a stream of the host: " + err.Error(), cause: err})
			}
		}
		panic(&Trap{Reason: "reading a stream of the host: " + io.ErrNoProgress.Error(), cause: io.ErrNoProgress})
	}
	return &Stream{hostEnd: hostEnd{shared: &rendezvous{source: from}, readable: true}}
}

// FutureOf makes a future that has a value.
func FutureOf(v any) *Future {
	return &Future{hostEnd{shared: &rendezvous{future: true, source: valueSource(v)}, readable: true}}
}

// valueSource gives a future its value.
func valueSource(v any) source {
	return func(to *copyBuffer) copyResult {
		if to.element != nil {
			if reason := mismatchOf(v, to.element); reason != "" {
				trap("the value of a future of the host: %s", reason)
			}
			to.put([]any{v}, 1)
		}
		to.progress = 1
		return copyCompleted
	}
}

// Promise gives a future its value later, once, without running the instance: a function of the host may do so, too.
type Promise struct{ shared *rendezvous }

// NewPromise makes a future whose readable end is passed to a component, and that has no value yet. While it has none, only
// what calls [Promise.Set] can end a wait for it.
func NewPromise() (*Future, *Promise) {
	r := &rendezvous{future: true}
	return &Future{hostEnd{shared: r, readable: true}}, &Promise{r}
}

// Set gives the future its value. One of another type traps the call that reads it.
func (p *Promise) Set(v any) {
	r := p.shared
	if r.source != nil {
		panic(errors.New("a promise was set twice"))
	}
	r.source = valueSource(v)
	if r.buffer != nil {
		r.finish(r.source(r.buffer))
	}
}

// Read reads bytes of a stream<u8>. It runs the instance until there are some, or the writable end was dropped: [io.EOF].
func (s *Stream) Read(p []byte) (int, error) {
	if e := s.shared.element; e == nil || !e.isByte() {
		return 0, errors.New("the stream is not one of u8: read its values")
	}
	if len(p) == 0 {
		return 0, nil
	}
	b := &copyBuffer{bytes: p, length: copyLength(len(p))}
	return b.read(s.copy(context.Background(), b))
}

// ReadValues reads at least one value of a stream, and at most max. It runs the instance until there are some, or the
// writable end was dropped: [io.EOF].
func (s *Stream) ReadValues(ctx context.Context, limit int) ([]any, error) {
	b := &copyBuffer{values: make([]any, copyLength(limit)), length: copyLength(limit)}
	n, err := b.read(s.copy(ctx, b))
	return b.values[:n], err
}

func (b *copyBuffer) read(result copyResult, err error) (int, error) {
	if err == nil && b.progress == 0 && result == copyDropped {
		err = io.EOF
	}
	return int(b.progress), err
}

func copyLength(n int) uint32 { return uint32(min(max(n, 0), maxCopyLength)) }

// Pipe writes all bytes of a stream<u8> to w when the component writes them. A function of the host may do so, too. An error
// of w drops the stream; [Stream.Err] gives it.
func (s *Stream) Pipe(w io.Writer) error {
	r := s.shared
	if e := r.element; e == nil || !e.isByte() || s.gone {
		return errors.New("only a stream of u8 that the host has can be piped")
	}
	s.leave()
	r.sink = func(from *copyBuffer) copyResult {
		if from.length == 0 {
			return copyCompleted
		}
		n, err := w.Write(from.rawBytes(from.remain()))
		from.progress += uint32(n)
		if err != nil {
			s.err = err
			r.markDropped()
			return copyDropped
		}
		return copyCompleted
	}
	if r.buffer != nil {
		r.finish(r.sink(r.buffer))
	}
	return nil
}

// AtEnd makes the end of a stream call a function of the host once: the component drops the writable end, or the writer that the
// stream was piped to fails. If the stream has ended, it is called at once.
func (s *Stream) AtEnd(do func()) {
	if s.shared.dropped {
		do()
		return
	}
	s.shared.atEnd = do
}

// Err gives the error of the writer that a stream was piped to.
func (s *Stream) Err() error { return s.err }

// Write writes bytes of a stream<u8>. It runs the instance until the component has read them. The error is
// [io.ErrClosedPipe] if it dropped the readable end.
func (w *StreamWriter) Write(p []byte) (int, error) {
	if e := w.shared.element; w.shared.host != nil && (e == nil || !e.isByte()) {
		return 0, errors.New("the stream is not one of u8: write its values")
	}
	b := &copyBuffer{bytes: p, length: copyLength(len(p))}
	return w.write(context.Background(), b)
}

// WriteValues writes values of a stream. It runs the instance until the component has read them. The error is
// [io.ErrClosedPipe] if it dropped the readable end.
func (w *StreamWriter) WriteValues(ctx context.Context, values []any) (int, error) {
	if e := w.shared.element; e != nil {
		for n, v := range values {
			if reason := mismatchOf(v, e); reason != "" {
				return 0, fmt.Errorf("value %d of the stream: %s", n, reason)
			}
		}
	}
	b := &copyBuffer{values: values, length: copyLength(len(values))}
	return w.write(ctx, b)
}

func (w *StreamWriter) write(ctx context.Context, b *copyBuffer) (int, error) {
	for b.remain() > 0 {
		result, err := w.copy(ctx, b)
		if err == nil && result == copyDropped {
			err = io.ErrClosedPipe
		}
		if err != nil {
			return int(b.progress), err
		}
	}
	return int(b.progress), nil
}

// Wait gives the value of the future. It runs the instance until there is one.
func (f *Future) Wait(ctx context.Context) (any, error) {
	b := &copyBuffer{values: make([]any, 1), length: 1}
	if _, err := f.copy(ctx, b); err != nil {
		return nil, err
	}
	f.leave()
	return b.values[0], nil
}

// Set gives the future its value. It runs the instance until the component has read it. The error is [io.ErrClosedPipe] if
// it dropped the readable end.
func (w *FutureWriter) Set(ctx context.Context, v any) error {
	if e := w.writable.shared.element; e != nil {
		if reason := mismatchOf(v, e); reason != "" {
			return fmt.Errorf("the value of the future: %s", reason)
		}
	}
	result, err := w.writable.copy(ctx, &copyBuffer{values: []any{v}, length: 1})
	if err == nil && result == copyDropped {
		err = io.ErrClosedPipe
	}
	if err == nil {
		w.writable.leave()
	}
	return err
}
