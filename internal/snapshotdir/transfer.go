package snapshotdir

import (
	"context"
	"iter"
	"slices"
	"sync"
)

// transferred says which bytes of a part were transferred: all before the frontier, and slices after it by their offsets.
// icp-cli, which also transfers several slices at once, has the same form.
type transferred struct {
	Frontier uint64   `json:"frontier"`
	Ahead    []uint64 `json:"ahead"`
}

// has reports whether the slice at an offset was transferred.
func (p *transferred) has(offset uint64) bool {
	return offset < p.Frontier || slices.Contains(p.Ahead, offset)
}

// add adds the slice at an offset of a part of so many bytes.
func (p *transferred) add(offset, total uint64) {
	p.Ahead = append(p.Ahead, offset)
	for slices.Contains(p.Ahead, p.Frontier) {
		p.Ahead = slices.DeleteFunc(p.Ahead, func(o uint64) bool { return o == p.Frontier })
		p.Frontier = min(p.Frontier+MaxSliceBytes, total)
	}
}

// bytes returns how many bytes of a part of so many bytes were transferred.
func (p *transferred) bytes(total uint64) (n uint64) {
	n = p.Frontier
	for _, offset := range p.Ahead {
		n += min(MaxSliceBytes, total-offset)
	}
	return n
}

// missing yields the offsets of the slices of a part that are still to be transferred.
func (p *transferred) missing(total uint64) iter.Seq[uint64] {
	left := transferred{p.Frontier, slices.Clone(p.Ahead)}
	return func(yield func(uint64) bool) {
		for offset := left.Frontier; offset < total; offset += MaxSliceBytes {
			if !left.has(offset) && !yield(offset) {
				return
			}
		}
	}
}

// inParallel does something for each slice, so many at once, until all are done or one fails.
func inParallel(ctx context.Context, parallel int, offsets iter.Seq[uint64], do func(ctx context.Context, offset uint64) error) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	next := make(chan uint64)
	var workers sync.WaitGroup
	for range max(parallel, 1) {
		workers.Go(func() {
			for offset := range next {
				if ctx.Err() != nil {
					continue
				}
				if err := do(ctx, offset); err != nil {
					fail(err)
				}
			}
		})
	}
	offsets(func(offset uint64) bool {
		select {
		case next <- offset:
			return true
		case <-ctx.Done():
			return false
		}
	})
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}
