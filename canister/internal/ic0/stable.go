package ic0

import (
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/profile"
)

// stableFunctions read and write stable memory. The 32-bit ones refuse a memory of more than 4 GiB.
func stableFunctions() []function {
	grow, access := flat(100), cost{computed: accessCost}
	return []function{
		// stable_size() is the size in pages of 64 KiB. This and the next three trap above 4 GiB: "32 bit stable memory
		// api used on a memory larger than 4GB".
		{name: "stable_size", results: "i", where: everywhere, memory32Only: true, body: func(x *Execution, s []uint64) {
			x.smallStable()
			s[0] = x.Stable.Size()
		}},
		// stable_grow(pages) adds pages of zeros: the old size, or -1 if that exceeds narrowStablePages or the
		// subnet has no room. It traps for lack of cycles (IC0532).
		{name: "stable_grow", params: "i", results: "i", where: everywhere, cost: grow, memory32Only: true, body: func(x *Execution, s []uint64) {
			x.smallStable()
			s[0] = x.growStable(s[0], narrowStablePages)
		}},
		// stable_write(offset, src, size) copies bytes of the heap to stable memory. It traps out of bounds ("stable
		// memory out of bounds", "heap out of bounds"), and beyond the pages a message may access or modify.
		{name: "stable_write", params: "iii", where: everywhere, cost: access, native: true, memory32Only: true, body: func(x *Execution, s []uint64) {
			x.smallStable()
			x.writeStable(s[0], s[1], s[2])
		}},
		// stable_read(dst, offset, size) copies bytes of stable memory to the heap; traps as of stable_write.
		{name: "stable_read", params: "iii", where: everywhere, cost: access, native: true, memory32Only: true, body: func(x *Execution, s []uint64) {
			if s[2] != 0 {
				x.smallStable()
				x.readStable(s[0], s[1], s[2])
			}
		}},
		// stable64_size() is the size in pages of 64 KiB.
		{name: "stable64_size", results: "l", where: everywhere, body: func(x *Execution, s []uint64) {
			s[0] = x.Stable.Size()
		}},
		// stable64_grow(pages) is stable_grow up to maxStablePages.
		{name: "stable64_grow", params: "l", results: "l", where: everywhere, cost: grow, body: func(x *Execution, s []uint64) {
			s[0] = x.growStable(s[0], 1<<63)
		}},
		// stable64_write(offset, src, size) is stable_write of any size; parameters are 64 bits wide in all modules.
		{name: "stable64_write", params: "lll", where: everywhere, cost: access, native: true, body: func(x *Execution, s []uint64) {
			if s[2] != 0 {
				x.writeStable(s[0], s[1], s[2])
			}
		}},
		// stable64_read(dst, offset, size) is stable_read of any size.
		{name: "stable64_read", params: "lll", where: everywhere, cost: access, native: true, body: func(x *Execution, s []uint64) {
			if s[2] != 0 {
				x.readStable(s[0], s[1], s[2])
			}
		}},
	}
}

// accessCost returns the cost of a read or write with its size in the third parameter. The sum wraps, as in the code
// that a replica generates.
func accessCost(_ *Execution, s []uint64) uint64 { return s[2] + stableAccess }

// addressable ends the message if an address or a size is beyond any heap. This is checked before pages are counted;
// the bounds of this heap are checked afterwards.
func (x *Execution) addressable(address, size uint64) {
	limit := uint64(maxNarrowAddress)
	if x.Guest.Memory64() {
		limit = maxWideAddress
	}
	if max(address, size) > limit {
		x.fail(Trapped(heapOutOfBounds))
	}
}

func (x *Execution) smallStable() {
	if x.Stable.Size() > narrowStablePages {
		x.fail(Trapped(stableTooBig))
	}
}

// growStable returns the old size, or 2^64-1 if the memory cannot grow that much. A lack of cycles ends the message.
func (x *Execution) growStable(pages, limit uint64) uint64 {
	const failed = 1<<64 - 1
	size := x.Stable.Size()
	if now := size + pages; now < size || now > min(limit, maxStablePages) {
		return failed
	}
	if f := x.grow(pages << 16); f != nil {
		if f.Code == intercanister.CanisterOutOfMemory {
			return failed
		}
		x.fail(f)
	}
	old, ok := x.Stable.Grow(pages)
	if !ok {
		panic("ic0: stable memory did not grow within its limit")
	}
	return old
}

func (x *Execution) readStable(dst, offset, size uint64) {
	if !x.Stable.InBounds(offset, size) {
		x.fail(Trapped(stableOutOfBounds))
	}
	x.addressable(dst, size)
	accessed, _ := x.Stable.Fresh(offset, size)
	x.access(accessed)
	x.eachPiece(dst, offset, size, x.Stable.Read)
}

// eachPiece moves size bytes between the heap and stable memory in pieces, between which the message may pause. If the
// range is not in the heap, it ends the message before the first byte.
func (x *Execution) eachPiece(address, offset, size uint64, move func(offset uint64, heap []byte) error) {
	if _, ok := x.Guest.View(address, size); !ok {
		x.fail(Trapped(heapOutOfBounds))
	}
	if r := x.Guest.Recorder(); r != nil {
		r.Spend(profile.Weights{StableBytes: size})
	}
	for {
		piece, _ := x.Guest.View(address, min(size, wasm.PieceBytes)) // a pause makes an older view invalid
		if err := move(offset, piece); err != nil {
			x.broken(err)
		}
		if size <= wasm.PieceBytes {
			return
		}
		address, offset, size = address+wasm.PieceBytes, offset+wasm.PieceBytes, size-wasm.PieceBytes
		x.Guest.FinishPiece(wasm.PieceBytes)
	}
}

func (x *Execution) writeStable(offset, src, size uint64) {
	if !x.Stable.InBounds(offset, size) {
		x.fail(Trapped(stableOutOfBounds))
	}
	if size == 0 {
		return
	}
	x.addressable(src, size)
	accessed, written := x.Stable.Fresh(offset, size)
	x.access(accessed)
	if written > x.written {
		l := &x.Subnet.Limits
		x.tooManyPages("modified", "execution: limit %d KB for regular messages, %d KB for upgrade messages and %d KB for queries.",
			l.StablePages*stable.OSPageSize/1024, l.StablePagesInstall*stable.OSPageSize/1024, l.StablePagesQuery*stable.OSPageSize/1024)
	}
	x.written -= written
	if written != 0 {
		x.Guest.Spend(written * stablePageWritten)
	}
	x.eachPiece(src, offset, size, x.Stable.Write)
}

func (x *Execution) access(pages uint64) {
	if pages > x.accessed {
		l := &x.Subnet.Limits
		x.tooManyPages("accessed", "message execution: limit %d KB for regular messages and %d KB for queries.", l.StablePages*stable.OSPageSize/1024, l.StablePagesQuery*stable.OSPageSize/1024)
	}
	x.accessed -= pages
}

func (x *Execution) tooManyPages(what, limits string, args ...any) {
	x.fail(&Failure{
		Code: intercanister.CanisterMemoryAccessLimitExceeded,
		Text: "Canister exceeded memory access limits: Exceeded the limit for the number of " + what +
			" pages in the stable memory in a single " + fmt.Sprintf(limits, args...),
		Help: Advice("Try optimizing the use of stable memory so that individual messages don't need to access as much stable memory.", "memory-access-limit-exceeded"),
	})
}

// broken ends the message because the disk failed: the canister's state is unchanged.
func (x *Execution) broken(err error) {
	x.fail(&Failure{Code: intercanister.CanisterWasmEngineError, Text: "Canister encountered a Wasm engine error: " + err.Error(), Broken: err})
}
