package control

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

// Reasons of messages that are too large.
var (
	// requestTooLarge takes the size and the limit.
	requestTooLarge = reason("REQUEST_TOO_LARGE", codes.ResourceExhausted,
		"a message of %d bytes exceeds the limit of %d: send a module or a file in chunks of at most 3 MiB, or fewer calls in one message", "size", "limit")
	// answerTooLarge takes the size and the limit.
	answerTooLarge = reason("ANSWER_TOO_LARGE", codes.ResourceExhausted,
		"the answer is %d bytes, which exceeds the limit of %d: request smaller pages, fewer calls in one message, or the reply in bytes", "size", "limit")
)

// fits counts a message of a client, and refuses it if it is too large.
func fits(r *rpc, in any) error {
	if m, ok := in.(proto.Message); ok {
		size := proto.Size(m)
		r.take(size)
		if size > MaxRequestBytes {
			return requestTooLarge.Refuse(size, MaxRequestBytes)
		}
	}
	return nil
}

// sendable refuses an answer that is too large, or exceeds the free memory.
func sendable(r *rpc, out any) error {
	m, ok := out.(proto.Message)
	if !ok {
		return nil
	}
	size := proto.Size(m)
	if size > MaxResponseBytes {
		return answerTooLarge.Refuse(size, MaxResponseBytes)
	}
	return r.send(size)
}

// boundedStream is a stream that refuses large messages as unary RPCs do.
type boundedStream struct {
	grpc.ServerStream
	rpc *rpc
}

// RecvMsg receives the next message, which is not too large. The handler has finished with the previous one.
func (s boundedStream) RecvMsg(m any) error {
	s.rpc.release()
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	return fits(s.rpc, m)
}

// SendMsg sends a message if there is memory for it.
func (s boundedStream) SendMsg(m any) error {
	if out, ok := m.(proto.Message); ok {
		if err := s.rpc.send(proto.Size(out)); err != nil {
			return refusalOf(err)
		}
	}
	return s.ServerStream.SendMsg(m)
}
