package chunkcodec

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// messages are requests with chunks, and others of which the codec must not take parts for chunks.
func messages(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{
		"nothing": {}, "half of a tag": {0x92}, "a tag": {0x12}, "a size": {0x12, 0x05}, "a long size": {0x12, 0x85, 0x80},
		"a chunk as a number": {0x10, 0x05}, "another field": {0x7a, 0x01, 'x'}, "a shorter chunk": {0x12, 0x02, 'a'},
		"two chunks": {0x12, 0x01, 'a', 0x12, 0x01, 'b'}, "a chunk and another field": {0x12, 0x01, 'a', 0x78, 0x01},
		"a size of more bytes than it needs": {0x12, 0x81, 0x00, 'a'},
	}
	for what, in := range map[string]*controlv1.InstallCodeRequest{
		"a head":         {Part: &controlv1.InstallCodeRequest_Head{Head: &controlv1.InstallHead{CanisterId: "aaaaa-aa"}}},
		"no bytes":       {Part: &controlv1.InstallCodeRequest_Chunk{}},
		"a chunk":        {Part: &controlv1.InstallCodeRequest_Chunk{Chunk: []byte("module")}},
		"a large chunk":  {Part: &controlv1.InstallCodeRequest_Chunk{Chunk: bytes.Repeat([]byte("module"), 10_000)}},
		"a source map":   {Part: &controlv1.InstallCodeRequest_SourceMap{SourceMap: []byte("{}")}},
		"no part at all": {},
	} {
		raw, err := proto.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		all[what] = raw
	}
	return all
}

// cut returns bytes in frames of random sizes, some of them empty.
func cut(raw []byte, random *rand.Rand) (frames mem.BufferSlice) {
	for len(raw) > 0 {
		n := min(random.IntN(1+random.IntN(20_000)), len(raw))
		frames, raw = append(frames, mem.SliceBuffer(raw[:n])), raw[n:]
	}
	return frames
}

func TestTheCodecReadsWhatProtobufReads(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	codec := New()
	for what, raw := range messages(t) {
		for range 100 {
			got, want := new(controlv1.InstallCodeRequest), new(controlv1.InstallCodeRequest)
			wantErr := proto.Unmarshal(raw, want)
			err := codec.Unmarshal(cut(raw, random), got)
			if (err == nil) != (wantErr == nil) || err == nil && !proto.Equal(got, want) {
				t.Fatalf("%s: got %.100v (%v), want %.100v (%v)", what, got, err, want, wantErr)
			}
		}
	}
}

func TestTheCodecWritesWhatProtobufWrites(t *testing.T) {
	codec := New()
	for what, raw := range messages(t) {
		in := new(controlv1.InstallCodeRequest)
		if proto.Unmarshal(raw, in) != nil {
			continue
		}
		want, err := proto.MarshalOptions{Deterministic: true}.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := codec.Marshal(in)
		if err != nil || !bytes.Equal(got.Materialize(), want) {
			t.Errorf("%s: got %.100x (%v), want %.100x", what, got.Materialize(), err, want)
		}
	}
}

func TestAChunkIsReadWithOneCopyAndWrittenWithNone(t *testing.T) {
	chunk := bytes.Repeat([]byte("module"), 10_000)
	frames, err := New().Marshal(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Chunk{Chunk: chunk}})
	if err != nil {
		t.Fatal(err)
	}
	if written := frames[len(frames)-1].ReadOnlyData(); &written[0] != &chunk[0] {
		t.Error("the message has a copy of the chunk")
	}
	in := new(controlv1.InstallCodeRequest)
	allocated := testing.AllocsPerRun(10, func() {
		if err := New().Unmarshal(frames, in); err != nil {
			t.Fatal(err)
		}
	})
	if !bytes.Equal(in.GetChunk(), chunk) || &in.GetChunk()[0] == &chunk[0] {
		t.Error("what was read is not a copy of the chunk")
	}
	if allocated > 4 {
		t.Errorf("reading a chunk allocated %.0f times", allocated)
	}
}
