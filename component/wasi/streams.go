package wasi

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/canisterd/canisterd/component"
)

// inputStream is an input-stream. Reads of it block the program until the reader has something.
type inputStream struct {
	from  io.Reader
	ended bool
}

// outputStream is an output-stream without a buffer.
type outputStream struct {
	to    io.Writer
	ended bool
}

// closed is stream-error::closed.
var closed = failure(component.Variant{Case: 1})

// pollable is a time that a program waits for, in nanoseconds since the start. Streams are always ready.
type pollable struct{ due uint64 }

// streamErrors is wasi:io/error.
func (h *Host) streamErrors() functions {
	return functions{"[method]error.to-debug-string": function("borrow<error>", func(args []any) any { return h.errors.of(args[0]) })}
}

// polling is wasi:io/poll.
func (h *Host) polling() functions {
	return functions{
		"[method]pollable.ready": function("borrow<pollable>", func(args []any) any { return h.pollables.of(args[0]).due <= h.clock.now }),
		"[method]pollable.block": function("borrow<pollable>", func(args []any) any {
			h.clock.advance(h.pollables.of(args[0]).due)
			return nil
		}),
		"poll": fallible("list<borrow<pollable>>", func(args []any) (any, error) { return h.poll(args[0].([]any)) }),
	}
}

// poll gives the indices of pollables that are ready. If none is, the time of the first one comes.
func (h *Host) poll(all []any) (any, error) {
	if len(all) == 0 {
		return nil, errors.New("the list of pollables is empty")
	}
	first := uint64(math.MaxUint64)
	for _, p := range all {
		first = min(first, h.pollables.of(p).due)
	}
	h.clock.advance(first)
	ready := []any{}
	for i, p := range all {
		if h.pollables.of(p).due <= h.clock.now {
			ready = append(ready, uint32(i))
		}
	}
	return ready, nil
}

// streams is wasi:io/streams.
func (h *Host) streams() functions {
	all := functions{}
	for _, blocking := range []string{"", "blocking-"} {
		all["[method]input-stream."+blocking+"read"] = fallible("borrow<input-stream>, u64", func(args []any) (any, error) {
			return h.read(args[0], args[1].(uint64), func(p []byte) any { return p })
		})
		all["[method]input-stream."+blocking+"skip"] = fallible("borrow<input-stream>, u64", func(args []any) (any, error) {
			return h.read(args[0], args[1].(uint64), func(p []byte) any { return uint64(len(p)) })
		})
		all["[method]output-stream."+blocking+"splice"] = fallible("borrow<output-stream>, borrow<input-stream>, u64", func(args []any) (any, error) {
			return h.splice(args[0], args[1], args[2].(uint64))
		})
		all["[method]output-stream."+blocking+"flush"] = function("borrow<output-stream>", func(args []any) any {
			if h.outputs.of(args[0]).ended {
				return closed
			}
			return success(nil)
		})
	}
	for name, limit := range map[string]int{"write": maxWrite, "blocking-write-and-flush": maxBlockingWrite} { // in any order, into a map
		all["[method]output-stream."+name] = fallible("borrow<output-stream>, list<u8>", func(args []any) (any, error) {
			return h.write(args[0], args[1].([]byte), limit)
		})
	}
	for name, limit := range map[string]int{"write-zeroes": maxWrite, "blocking-write-zeroes-and-flush": maxBlockingWrite} { // in any order, into a map
		all["[method]output-stream."+name] = fallible("borrow<output-stream>, u64", func(args []any) (any, error) {
			return h.write(args[0], make([]byte, min(args[1].(uint64), uint64(limit)+1)), limit)
		})
	}
	all["[method]output-stream.check-write"] = function("borrow<output-stream>", func(args []any) any {
		if h.outputs.of(args[0]).ended {
			return closed
		}
		return success(uint64(maxWrite))
	})
	for _, kind := range []string{"input", "output"} {
		all["[method]"+kind+"-stream.subscribe"] = fallible("borrow<"+kind+"-stream>", func([]any) (any, error) {
			return h.pollables.resource(pollable{})
		})
	}
	return all
}

// read reads at most n bytes of an input stream, of which give makes the result.
func (h *Host) read(stream any, n uint64, give func(p []byte) any) (any, error) {
	s := h.inputs.of(stream)
	if s.ended {
		return closed, nil
	}
	p := make([]byte, min(n, maxRead))
	if n == 0 {
		return success(give(p)), nil
	}
	got, err := s.from.Read(p)
	switch {
	case got > 0 || err == nil:
		return success(give(p[:got])), nil
	case errors.Is(err, io.EOF):
		s.ended = true
		return closed, nil
	}
	s.ended = true
	return h.operationFailed(err)
}

// write writes to an output stream, which the program does not do with more bytes than it may.
func (h *Host) write(stream any, p []byte, limit int) (any, error) {
	s := h.outputs.of(stream)
	switch {
	case len(p) > limit:
		return nil, fmt.Errorf("a write has more than the permitted %d bytes", limit)
	case s.ended:
		return closed, nil
	}
	if _, err := s.to.Write(p); err != nil {
		s.ended = true
		return h.operationFailed(err)
	}
	return success(nil), nil
}

// splice moves at most n bytes from an input stream to an output stream.
func (h *Host) splice(to, from any, n uint64) (any, error) {
	var p []byte
	result, err := h.read(from, n, func(read []byte) any { p = read; return uint64(len(read)) })
	if err != nil || result.(component.Variant).Case != 0 {
		return result, err
	}
	if wrote, err := h.write(to, p, maxWrite); err != nil || wrote.(component.Variant).Case != 0 {
		return wrote, err
	}
	return result, nil
}

// operationFailed is stream-error::last-operation-failed.
func (h *Host) operationFailed(err error) (any, error) {
	text, fault := h.errors.resource(err.Error())
	return failure(component.Variant{Case: 0, Payload: text}), fault
}
