package wasm

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync/atomic"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// heap is the memory of a resident guest: it starts with the committed bytes, and the message writes to it.
type heap interface {
	// bytes returns the whole heap in place; growing moves it.
	bytes() []byte
	// grow makes the heap size bytes long; the new bytes are zero.
	grow(size int64) error
	// load restores all committed bytes; the size is unchanged. Needs the slot's lock.
	load() error
	// changed appends the pages whose bytes differ from the committed ones to spans, in order. It records the pages
	// that it compared, for commit and restore, until the next call. Needs the slot's lock.
	changed(spans []span) ([]span, error)
	// changedMany reports whether at least this many pages differ from the committed ones. It is called in the middle
	// of a message, between unwatch and watch. Needs the slot's lock.
	changedMany(pages int) (bool, error)
	// written reports that the bytes of pages are in the file while a commit is in progress: until committed, restore
	// or free, the heap may have any bytes there. Needs the slot's lock.
	written(pages span)
	// committed reports that the changed pages found last are now the committed ones. On an error the heap is lost: it
	// can only be freed. Needs the slot's lock.
	committed(changed []span) error
	// restore restores all committed bytes; compared says that changed holds the pages found last and nothing was
	// written since. The size is unchanged. Needs the slot's lock.
	restore(changed []span, compared bool) error
	// watch and unwatch enclose everything that may write to the heap, on one thread. Any other write must be followed
	// by lost.
	watch()
	unwatch()
	lost()
	// faulted returns how many page faults the thread took since watch or the last call, if that is known. It is called
	// between watch and unwatch.
	faulted() int64
	// preserve makes the heap keep its bytes of these pages although the committed ones are about to change. It is
	// called by another goroutine than the one that runs the guest, with the slot's lock.
	preserve(pages span)
	// hold saves all bytes until release; revert restores them, with zeros where the heap has grown since. For heaps of
	// snapshots. They need the slot's lock.
	hold() error
	revert() error
	release()
	// remap restores the mapping to the bytes of the slot after their places changed there; all of them must be
	// committed. Needs the slot's lock.
	remap() error
	// moveTo gives the heap the bytes of another slot, which differ from the present ones only in these pages. The slot
	// is on the same layers.
	moveTo(s *slot, differing []int64) error
	// free releases the memory.
	free() error
}

// HeapKind is a way to keep heaps.
type HeapKind string

const (
	// HeapAuto selects the first of the others that works here.
	HeapAuto HeapKind = ""
	// HeapScan maps the checkpoint file privately and asks the kernel for the private pages (PAGEMAP_SCAN, Linux 6.7).
	HeapScan HeapKind = "scan"
	// HeapPagemap does the same with /proc/self/pagemap: commit reads 8 bytes per page of heap.
	HeapPagemap HeapKind = "pagemap"
	// HeapCopy keeps the heap of each resident guest twice and compares: it works everywhere, and each commit costs the
	// size of the heap.
	HeapCopy HeapKind = "copy"
)

// HeapKinds returns the kinds that work on this machine, the best first.
func HeapKinds() []HeapKind { return append(mappedKinds(), HeapCopy) }

// heapSpace makes heaps of one kind.
type heapSpace struct {
	kind    HeapKind
	pagemap *os.File // nil for HeapCopy
	process *os.File // this process, by which the kernel drops ranges of pages together; nil if it does not
	// countFaults is set if the page faults of a thread can be counted.
	countFaults bool
	// mappings is the number of mappings of all heaps; room is its limit.
	mappings atomic.Int64
	room     int64
}

func newHeapSpace(want HeapKind) (*heapSpace, error) {
	kinds := HeapKinds()
	if want == HeapAuto {
		want = kinds[0]
	}
	if !slices.Contains(kinds, want) {
		return nil, fmt.Errorf("heaps of kind %q do not work on this machine: use one of %q, or leave it empty", want, kinds)
	}
	if want == HeapCopy {
		return &heapSpace{kind: want, room: maxMappings}, nil
	}
	f, err := os.Open(pagemapPath)
	if err != nil {
		return nil, fmt.Errorf("open the list of private pages: %w", err)
	}
	return &heapSpace{kind: want, room: maxMappings, pagemap: f, process: openProcess(), countFaults: faultsAreCounted()}, nil
}

func (hs *heapSpace) close() error {
	if hs.pagemap == nil {
		return nil
	}
	if hs.process != nil {
		_ = hs.process.Close()
	}
	return hs.pagemap.Close()
}

// nearMappingLimit reports whether half of all mappings are in use.
func (hs *heapSpace) nearMappingLimit() bool { return hs.mappings.Load() >= hs.room/2 }

// maxRuns returns how many runs of its own pages a heap may have among those of the layers under it.
func (hs *heapSpace) maxRuns(size int64) int64 {
	switch pages := size / PageSize; {
	case hs.kind == HeapCopy:
		return math.MaxInt64
	case !hs.nearMappingLimit():
		return manyRuns + pages/pagesPerRun
	default:
		return fewRuns + pages/pagesPerRunWhereFull
	}
}

const pagemapPath = "/proc/self/pagemap"

// heap makes a heap of size bytes over the slot; bytes past the committed size are zero. Needs the slot's lock. The
// growth of a reader is not shared with the slot.
func (hs *heapSpace) heap(s *slot, size int64, reader bool) (heap, error) {
	if err := s.loadLayers(); err != nil {
		return nil, err
	}
	if hs.kind == HeapCopy {
		return newCopyHeap(s, size)
	}
	return newMappedHeap(hs, s, size, reader)
}

// errTorn reports that growing failed half-way and the heap is lost, including private pages.
var errTorn = errors.New("heap lost while growing")

var zeroPage [PageSize]byte

// appendPage appends a page to spans that end before it.
func appendPage(spans []span, page int64) []span {
	if n := len(spans); n > 0 && spans[n-1].end == page {
		spans[n-1].end++
		return spans
	}
	return append(spans, span{page, page + 1})
}

func countPages(spans []span) int {
	n := int64(0)
	for _, s := range spans {
		n += s.end - s.first
	}
	return int(n)
}

func contains(spans []span, page int64) bool {
	i, _ := slices.BinarySearchFunc(spans, page, func(s span, page int64) int {
		if s.end <= page {
			return -1
		}
		return 1
	})
	return i < len(spans) && spans[i].first <= page
}

// samePage compares a page with committed content, where nil stands for zeros.
func samePage(page, content []byte) bool {
	if content == nil {
		content = zeroPage[:]
	}
	return checkpoint.Equal(page, content)
}

// fillPage sets a page to the committed content, where nil stands for zeros.
func fillPage(page, content []byte) {
	if content == nil {
		clear(page)
		return
	}
	copy(page, content)
}
