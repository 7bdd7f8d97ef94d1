package replica_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// heapBytes is the heap of the benchmarks below.
const heapBytes = 64 << 20

// filled is a module whose heap is filled by its method fill with what it was sent, over
// and over, each copy with its place in it.
func filled() []byte {
	return wat.MustAssemble(fmt.Sprintf(`(module
		(import "ic0" "msg_arg_data_copy" (func $copy (param i32 i32 i32)))
		(import "ic0" "msg_arg_data_size" (func $size (result i32)))
		(import "ic0" "msg_reply" (func $reply))
		(memory %d)
		(func (export "canister_update fill") (local $at i32) (local $n i32)
			(local.set $n (call $size))
			(loop $more
				(call $copy (local.get $at) (i32.const 0) (local.get $n))
				(i32.store (local.get $at) (local.get $at))
				(local.set $at (i32.add (local.get $at) (local.get $n)))
				(br_if $more (i32.lt_u (local.get $at) (i32.const %d))))
			(call $reply)))`, heapBytes>>16, heapBytes))
}

// fillings are what heaps are full of: words as in the heap of a canister, and noise.
func fillings() map[string][]byte {
	words := new(bytes.Buffer)
	chance := rand.New(rand.NewPCG(1, 2))
	for words.Len() < 1<<16 {
		fmt.Fprintf(words, "%08x\x00\x00\x00\x00%s\x00\x00", chance.Uint32N(1<<20), []string{"balance", "owner", "allowance", "timestamp"}[chance.IntN(4)])
	}
	noise := make([]byte, 1<<16)
	rand.NewChaCha8([32]byte{}).Read(noise)
	return map[string][]byte{"words": words.Bytes()[:1<<16], "noise": noise}
}

func full(b *testing.B, content []byte) (*real.Stage, replica.Config) {
	b.Helper()
	config := replica.Config{Engine: canistertest.NewEngine(b), Subnets: []replica.SubnetConfig{{Nodes: 1, NoRateLimits: true}}}
	s := real.NewStage(b, config)
	s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, filled(), nil)
	if a := s.Call("A", "fill", content); a.Status != "replied" {
		b.Fatal(a)
	}
	return s, config
}

// BenchmarkRatioExport exports a network with a heap full of words; the floor compresses the heap alone, at zstd's fastest,
// by as many goroutines as there are processors. The floor was a copy of the heap, 4.5 ms: it took one processor, so the ratio
// of 11 became 17 when something else ran on the other one. It is the frozen ratio, whose limit was 15.
func BenchmarkRatioExport(b *testing.B) {
	words := fillings()["words"]
	s, _ := full(b, words)
	var size int64
	exportBeside(b, 1.7, words, func() error {
		to := new(counted)
		err := s.Export(to)
		size = to.bytes
		return err
	})
	b.ReportMetric(float64(size)*4096/heapBytes, "bytes/page")
}

// BenchmarkRatioExportNoise is BenchmarkRatioExport with a heap of noise that repeats. Most of its time is not zstd's. The limit
// of the frozen ratio was 8.
func BenchmarkRatioExportNoise(b *testing.B) {
	noise := fillings()["noise"]
	s, _ := full(b, noise)
	exportBeside(b, 4.5, noise, func() error { return s.Export(io.Discard) })
}

// exportBeside compares an export with the compression of a heap that is filled with the content.
func exportBeside(b *testing.B, limit float64, content []byte, export func() error) {
	b.Helper()
	sample := ratio.Take(b, ratio.Each(func() {
		if err := export(); err != nil {
			b.Fatal(err)
		}
	}), compressed(b, heapOf(content)))
	ratio.CompareTaken(b, limit, sample)
	measured, _ := sample.Quartile()
	ratio.ReportFrozen(b, 3_350_000, measured)
}

// BenchmarkRatioImport imports what BenchmarkRatioExport exports, and frees it. Of the ratio, 3.7 are calls of the system that
// write pages of the heap, 2.5 zstd, 1.5 the copies between them, and 1.3 to free the pages: a bound of 9 without the rest.
func BenchmarkRatioImport(b *testing.B) {
	words := fillings()["words"]
	s, config := full(b, words)
	file := exported(b, s.Network)
	ratio.Compare(b, 15, ratio.Each(func() {
		n, err := replica.Import(bytes.NewReader(file), config)
		if err != nil {
			b.Fatal(err)
		}
		n.Close()
	}), copied(b, heapOf(words)))
}

// BenchmarkRatioExportCanisters exports 10,000 canisters without code; the floor writes
// as many bytes as the file has.
func BenchmarkRatioExportCanisters(b *testing.B) {
	s := real.NewStage(b, replica.Config{Subnets: []replica.SubnetConfig{{Nodes: 1, Free: true}}})
	for i := range 10_000 {
		s.Create(fmt.Sprint("C", i), 0, 1)
	}
	file := exported(b, s.Network)
	ratio.Compare(b, 650, ratio.Each(func() {
		if err := s.Export(io.Discard); err != nil {
			b.Fatal(err)
		}
	}), copied(b, file))
	b.ReportMetric(float64(len(file))/float64(s.Census().Canisters), "bytes/canister")
}

type counted struct{ bytes int64 }

func (c *counted) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	return len(b), nil
}

// heapOf is a heap that is full of content. One that was never written would be the same page of zeros everywhere, which
// stays in the cache.
func heapOf(content []byte) []byte { return bytes.Repeat(content, heapBytes/len(content)) }

// compressed compresses bytes in frames of 256 KiB, on all processors.
func compressed(b *testing.B, content []byte) ratio.Work {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
	if err != nil {
		b.Fatal(err)
	}
	return ratio.Each(func() {
		var next atomic.Int64
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				var frame []byte
				for {
					at := int(next.Add(256<<10)) - 256<<10
					if at >= len(content) {
						return
					}
					frame = encoder.EncodeAll(content[at:min(at+256<<10, len(content))], frame[:0])
				}
			})
		}
		workers.Wait()
	})
}

// copied copies bytes through a buffer.
func copied(b *testing.B, bytes []byte) ratio.Work {
	buffer := make([]byte, 256<<10)
	return ratio.Each(func() {
		for rest := bytes; len(rest) > 0; {
			rest = rest[copy(buffer, rest):]
		}
		if len(bytes) == 0 {
			b.Fatal("nothing to copy")
		}
	})
}
