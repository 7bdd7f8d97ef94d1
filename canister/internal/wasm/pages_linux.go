package wasm

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The PAGEMAP_SCAN interface of Linux 6.7 (include/uapi/linux/fs.h).
const (
	pagemapScan   = 0xC0606610
	pageIsFile    = 1 << 2
	pageIsPresent = 1 << 3
	pageIsSwapped = 1 << 4
	pageIsZero    = 1 << 5
)

type scanArguments struct {
	size, flags, start, end, walkEnd, vec, vecLen, maxPages uint64
	inverted, mask, anyOf, returned                         uint64
}

type scanRegion struct{ start, end, _ uint64 } // the last: categories

// privatePages lists the private pages of one mapping at a time. It is part of a heap, so that listing does not
// allocate.
type privatePages struct {
	arguments scanArguments
	regions   [32]scanRegion
}

// list appends the private pages of memory to spans. Pages are numbered from the beginning of memory.
func (p *privatePages) list(hs *heapSpace, memory []byte, spans []span) ([]span, error) {
	if len(memory) == 0 {
		return spans, nil
	}
	if hs.kind == HeapPagemap {
		return readPagemap(hs.pagemap, memory, spans)
	}
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
	start, end := base, base+uint64(len(memory))
	for {
		p.arguments = scanArguments{
			size: uint64(unsafe.Sizeof(p.arguments)), start: start, end: end,
			vec: uint64(uintptr(unsafe.Pointer(&p.regions))), vecLen: uint64(len(p.regions)),
			inverted: pageIsFile | pageIsZero, mask: pageIsFile | pageIsZero, anyOf: pageIsPresent | pageIsSwapped, returned: pageIsPresent | pageIsSwapped,
		}
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, hs.pagemap.Fd(), pagemapScan, uintptr(unsafe.Pointer(&p.arguments)))
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return spans, fmt.Errorf("list private pages: %w", errno)
		}
		for _, r := range p.regions[:n] {
			first, last := int64(r.start-base)/PageSize, int64(r.end-base)/PageSize
			if k := len(spans); k > 0 && spans[k-1].end == first {
				spans[k-1].end = last
			} else {
				spans = append(spans, span{first, last})
			}
		}
		// The walk end from the kernel may be stale after an inner restart; a list that is not full is complete.
		if n < uintptr(len(p.regions)) {
			return spans, nil
		}
		if start = p.regions[n-1].end; start >= end {
			return spans, nil
		}
	}
}

// readPagemap is list for kernels without PAGEMAP_SCAN: it reads eight bytes for every page of the heap.
func readPagemap(pagemap *os.File, memory []byte, spans []span) ([]span, error) {
	const fileBacked, present, swapped = 1 << 61, 1 << 63, 1 << 62
	buf := make([]byte, min(64<<10, len(memory)/PageSize*8))
	base := int64(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))) / PageSize
	pages := int64(len(memory) / PageSize)
	for page := int64(0); page < pages; {
		part := buf[:min(int64(len(buf)), (pages-page)*8)]
		if _, err := pagemap.ReadAt(part, (base+page)*8); err != nil {
			return spans, fmt.Errorf("list private pages: %w", err)
		}
		for ; len(part) > 0; part = part[8:] {
			if e := binary.NativeEndian.Uint64(part); e&fileBacked == 0 && e&(present|swapped) != 0 {
				spans = appendPage(spans, page)
			}
			page++
		}
	}
	return spans, nil
}

// mappedKinds tries both ways of listing private pages on a small mapping.
func mappedKinds() []HeapKind {
	if unix.Getpagesize() != PageSize {
		return nil
	}
	pagemap, err := os.Open(pagemapPath)
	if err != nil {
		return nil
	}
	defer func() { _ = pagemap.Close() }()
	fd, err := unix.MemfdCreate("canisterd-probe", unix.MFD_CLOEXEC)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Close(fd) }()
	if unix.Ftruncate(fd, 4*PageSize) != nil {
		return nil
	}
	memory, err := unix.Mmap(fd, 0, 4*PageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Munmap(memory) }()
	memory[PageSize], memory[3*PageSize] = memory[2*PageSize]+1, 1
	var kinds []HeapKind
	for _, kind := range []HeapKind{HeapScan, HeapPagemap} {
		var p privatePages
		found, err := p.list(&heapSpace{kind: kind, pagemap: pagemap}, memory, nil)
		if err == nil && len(found) == 2 && found[0] == (span{1, 2}) && found[1] == (span{3, 4}) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// faultsAreCounted reports whether this system counts the page faults of a thread. Some emulations of Linux do not.
func faultsAreCounted() bool {
	memory, err := unix.Mmap(-1, 0, 2*PageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Munmap(memory) }()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return false
	}
	before := countFaults(&u)
	sum := memory[0] // a read, then a write to the same page
	first := countFaults(&u)
	memory[0] = sum + 1
	second := countFaults(&u)
	memory[PageSize] = 1
	return first > before && second > first && countFaults(&u) > second
}
