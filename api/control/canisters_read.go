package control

import (
	"context"
	"strconv"
	"sync"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// ReadMemory streams committed bytes of the heap or of stable memory, all of one moment.
func (s *canisters) ReadMemory(in *controlv1.ReadMemoryRequest, stream grpc.ServerStreamingServer[controlv1.ReadMemoryResponse]) error {
	ctx := stream.Context()
	c, err := s.subject(ctx, in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return err
	}
	m, err := c.memories(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	var size uint64
	var read func(uint64, []byte) error
	switch in.GetMemory() {
	case controlv1.MemoryKind_MEMORY_KIND_HEAP:
		size, read = m.HeapSize(), m.ReadHeap
	case controlv1.MemoryKind_MEMORY_KIND_STABLE:
		size, read = m.StableSize(), m.ReadStable
	default:
		return BadField.Refuse("memory", strconv.Itoa(int(in.GetMemory())), "memory is the heap or stable memory")
	}
	from, end := in.GetOffset(), size
	if length := in.GetLength(); length != 0 {
		end = from + length
	}
	if from > size || end > size || end < from {
		return outOfMemory.Refuse(in.GetMemory(), c.id, size, from)
	}
	for from < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk := make([]byte, min(end-from, MemoryChunk))
		if err := read(from, chunk); err != nil {
			return err
		}
		if err := stream.Send(&controlv1.ReadMemoryResponse{Offset: from, Chunk: chunk}); err != nil {
			return err
		}
		from += uint64(len(chunk))
	}
	return nil
}

// memories references the canister's memories.
func (c *subject) memories(ctx context.Context) (*canister.Memories, error) {
	var mu sync.Mutex // the network may run it after the caller stopped waiting
	var taken *canister.Memories
	given := false
	err := c.instance.Driver().Do(ctx, func(n *replica.Network) {
		mu.Lock()
		defer mu.Unlock()
		if k := n.Canister(c.id); k != nil && !given {
			taken = k.Memories()
		}
	})
	mu.Lock()
	defer mu.Unlock()
	given = true
	switch {
	case err != nil && taken != nil:
		taken.Close()
		return nil, err
	case err != nil:
		return nil, err
	case taken == nil:
		return nil, noCode.Refuse(c.id)
	}
	return taken, nil
}

// ReadLogs streams the log of a canister, and continues with new records if requested.
func (s *canisters) ReadLogs(in *controlv1.ReadLogsRequest, stream grpc.ServerStreamingServer[controlv1.ReadLogsResponse]) error {
	c, err := s.subject(stream.Context(), in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return err
	}
	ctx, cancel := s.until(stream.Context())
	defer cancel()
	next, last := in.GetFromIndex(), int(in.GetLast())
	for {
		records, err := c.logs(ctx, next, in.GetFollow() && last < 0)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return err
		}
		if last > 0 && len(records) > last {
			records = records[len(records)-last:]
		}
		last = -1
		for _, r := range records {
			if err := stream.Send(&controlv1.ReadLogsResponse{Index: r.Index, Time: stamp(r.Time), Content: r.Content}); err != nil {
				return err
			}
			next = r.Index + 1
		}
		if !in.GetFollow() {
			return nil
		}
	}
}

// logs returns the records of the canister's log from a number on. With wait, it waits for at least one.
func (c *subject) logs(ctx context.Context, from uint64, wait bool) ([]canister.LogRecord, error) {
	type page struct {
		records []canister.LogRecord
		gone    bool
	}
	p, err := driver.Await(ctx, c.instance.Driver(), func(n *replica.Network) (page, bool) {
		records, ok := recordsOf(n, c.id, from)
		return page{records, !ok}, !wait || !ok || len(records) > 0
	})
	if err != nil {
		return nil, err
	}
	if p.gone {
		return nil, canisterUnknown.Refuse(c.id)
	}
	return p.records, nil
}

func recordsOf(n *replica.Network, id principal.Principal, from uint64) (records []canister.LogRecord, ok bool) {
	c := n.Canister(id)
	if c == nil {
		return nil, false
	}
	for i := c.Logs.Len() - 1; i >= 0 && c.Logs.At(i).Index >= from; i-- {
		records = append(records, c.Logs.At(i))
	}
	for i, j := 0, len(records)-1; i < j; i, j = i+1, j-1 {
		records[i], records[j] = records[j], records[i]
	}
	return records, true
}
