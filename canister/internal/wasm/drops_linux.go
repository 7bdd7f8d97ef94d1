package wasm

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// drops are ranges of private pages that one system call drops, where the kernel has one for the own process (Linux 6.13):
// it takes less than half of the time of a call for each.
type drops struct {
	ranges [maxDrops]unix.Iovec
	count  int
}

// add drops pages, at the latest when it is flushed. All are committed or discarded.
func (d *drops) add(h *mappedHeap, p span) error {
	if h.space.process == nil || p.end-p.first > tablePages {
		return h.drop(p)
	}
	if d.count == len(d.ranges) {
		if err := d.flush(h); err != nil {
			return err
		}
	}
	r := &d.ranges[d.count]
	r.Base = &h.memory[p.first*PageSize]
	r.SetLen(int((p.end - p.first) * PageSize))
	d.count++
	return nil
}

// flush drops the pages that were added: one by one if the kernel refuses them together.
func (d *drops) flush(h *mappedHeap) error {
	ranges, bytes := d.ranges[:d.count], uintptr(0)
	if d.count = 0; len(ranges) == 0 {
		return nil
	}
	for i := range ranges {
		bytes += uintptr(ranges[i].Len)
	}
	if len(ranges) > 1 {
		dropped, _, errno := unix.Syscall6(unix.SYS_PROCESS_MADVISE, h.space.process.Fd(), uintptr(unsafe.Pointer(unsafe.SliceData(ranges))),
			uintptr(len(ranges)), unix.MADV_DONTNEED, 0, 0)
		if errno == 0 && dropped == bytes {
			return nil
		}
	}
	for i := range ranges {
		first := int64(uintptr(unsafe.Pointer(ranges[i].Base)))/PageSize - h.firstPage()
		if err := h.drop(span{first, first + int64(ranges[i].Len)/PageSize}); err != nil {
			return err
		}
	}
	return nil
}

// openProcess returns a descriptor of this process if the kernel drops pages by it, nil otherwise.
func openProcess() *os.File {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return nil
	}
	process := os.NewFile(uintptr(fd), "pidfd")
	memory, err := unix.Mmap(-1, 0, PageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err == nil {
		defer func() { _ = unix.Munmap(memory) }()
		memory[0] = 1
		r := unix.Iovec{Base: &memory[0], Len: PageSize}
		_, _, errno := unix.Syscall6(unix.SYS_PROCESS_MADVISE, process.Fd(), uintptr(unsafe.Pointer(&r)), 1, unix.MADV_DONTNEED, 0, 0)
		if errno == 0 && memory[0] == 0 {
			return process
		}
	}
	_ = process.Close()
	return nil
}
