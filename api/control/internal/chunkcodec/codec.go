package chunkcodec

import (
	"bytes"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Codec is gRPC's codec of protobuf messages for all but the chunks of modules.
type Codec struct{ encoding.CodecV2 }

// New returns the codec.
func New() Codec { return Codec{encoding.GetCodecV2(proto.Name)} }

// chunkField is the number of the field chunk of InstallCodeRequest.
const chunkField = 2

// Marshal writes a message. That of a chunk has the chunk itself, which gRPC forbids to change once it is sent.
func (c Codec) Marshal(v any) (mem.BufferSlice, error) {
	in, ok := v.(*controlv1.InstallCodeRequest)
	if !ok {
		return c.CodecV2.Marshal(v)
	}
	part, ok := in.GetPart().(*controlv1.InstallCodeRequest_Chunk)
	if !ok || len(in.ProtoReflect().GetUnknown()) > 0 {
		return c.CodecV2.Marshal(v)
	}
	head := protowire.AppendVarint(protowire.AppendTag(nil, chunkField, protowire.BytesType), uint64(len(part.Chunk)))
	return mem.BufferSlice{mem.SliceBuffer(head), mem.SliceBuffer(part.Chunk)}, nil
}

// Unmarshal reads a message.
func (c Codec) Unmarshal(frames mem.BufferSlice, v any) error {
	if in, ok := v.(*controlv1.InstallCodeRequest); ok {
		if chunk, ok := chunkOf(frames); ok {
			in.Part = &controlv1.InstallCodeRequest_Chunk{Chunk: chunk}
			return nil
		}
	}
	return c.CodecV2.Unmarshal(frames, v)
}

// chunkOf returns the chunk of a message that has nothing else, and false for any other message.
func chunkOf(frames mem.BufferSlice) ([]byte, bool) {
	if len(frames) == 0 {
		return nil, false
	}
	first := frames[0].ReadOnlyData()
	field, kind, tag := protowire.ConsumeTag(first)
	if tag < 0 || field != chunkField || kind != protowire.BytesType {
		return nil, false
	}
	size, length := protowire.ConsumeVarint(first[tag:])
	if length < 0 || size != uint64(frames.Len()-tag-length) {
		return nil, false
	}
	parts := make([][]byte, len(frames))
	for i, frame := range frames {
		parts[i] = frame.ReadOnlyData()
	}
	parts[0] = first[tag+length:]
	return bytes.Join(parts, nil), true // which does not clear the memory first
}
