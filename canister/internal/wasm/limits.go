package wasm

import (
	"time"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// None of these numbers is in the specification; they limit what the engine keeps.
const (
	// PageSize is the operating system page of the specification (4 KiB), the unit of dirty-page charges (spec: 4,096).
	PageSize = 4096
	// WasmPageSize is the page of memory.grow (spec: 65,536).
	WasmPageSize = 65536
	// DefaultMaxResident is the number of resident guests. Linux allows 65,530 mappings, and the Go runtime dies if it
	// cannot get one.
	DefaultMaxResident = 16000
	// maxMappings is the limit of the mappings of all resident heaps; guests are evicted to stay below it.
	maxMappings = 45_000
	// roomAfterHeap is how many bytes of addresses are free after a heap that is expected to grow.
	roomAfterHeap = 2 << 20
	// A heap may have this many runs of its own pages among those of the layers under it, and one more per pagesPerRun
	// pages: each run takes up to two mappings. The lower limits apply while half of all mappings are in use.
	manyRuns, pagesPerRun         = 64, 64
	fewRuns, pagesPerRunWhereFull = 8, 256
	// maxPinned is how many guests above MaxResident may be resident because they are in the middle of a message.
	maxPinned = 4096
	// MaxSlice is the largest number of instructions between two pauses: about 5 ms of compiled code.
	MaxSlice = 5_000_000
	// PieceBytes is how much of a bulk operation runs between two calls of FinishPiece (the specification has no such
	// pauses).
	PieceBytes = rewrite.PieceBytes
	// minGrant to maxGrant is how many instructions the counter is set to at once. Compiled code cannot be interrupted
	// in between, and code that often writes to another page takes a page fault of some microseconds each time: after
	// manyFaults it is granted the least.
	minGrant, maxGrant = 5_000, 50_000
	manyFaults         = 100
	// smallHeapGrant is the grant of a heap of at most smallHeap bytes: all its page faults together take some
	// milliseconds.
	smallHeapGrant = 200_000
	smallHeap      = 16 << 20
	// DefaultSlice is granted if a budget specifies none.
	DefaultSlice = 2_000_000
	// stickyPages is how many private pages a heap keeps between messages, so that hot pages are not faulted in
	// repeatedly.
	stickyPages = 64
	// stickyCommits is after how many commits the private pages that the last one did not change are dropped.
	stickyCommits = 32
	// writtenPart is how many pages of a commit are written at a time.
	writtenPart = 1 << 20 / PageSize
	// maxDrops is how many ranges of private pages are dropped together: the whole process waits for them when it maps
	// memory.
	maxDrops = 32
	// dropGap is how many other pages are dropped together with the private ones around them.
	dropGap = 32
	// tablePages is how many pages a page table of the processor has; pages are dropped in parts of dropTables tables.
	tablePages, dropTables = 512, 2
	// maxWalks is after how many walks of its page tables a large heap drops them.
	maxWalks = 16
	// maxUndo is how many committed pages a commit saves, to undo it if the disk fails while they are overwritten.
	maxUndo = 64 << 20 / PageSize
	// maxCommonPages is how many of the first pages of guests of one code are compared: those of data segments, and what
	// initializers wrote.
	maxCommonPages = 16 << 20 / PageSize
	// maxCopy is how many pages are copied from file to file at a time.
	maxCopy = 1 << 20 / PageSize
	// workersThatEnd is the least number of workers with which the engine's compiler asks whether its context has ended.
	workersThatEnd = 2
	// minFragmentsTime is the estimated time of a compilation, in nanoseconds, from which on a module runs in fragments
	// until it is compiled, unless one of its functions takes more than maxFragmentTime: nothing else runs on the thread
	// of a message meanwhile.
	minFragmentsTime = uint64(20 * time.Millisecond)
	maxFragmentTime  = uint64(250 * time.Millisecond)
	// maxBackground is how many modules that run in fragments compile, or wait for a slot, at a time. Further ones are
	// compiled before they run.
	maxBackground = 16
	// The compilation of such a module begins when no function has been compiled for quietTime, or at the latest after
	// maxQuietWaits of this time.
	quietTime     = 30 * time.Millisecond
	maxQuietWaits = 30
	// maxFunctions is how many function objects (11.5 KB each) a resident guest keeps.
	maxFunctions = 4
	// maxStack is the largest wasm stack, in bytes, that stays with a kept function object.
	maxStack = 128 << 10
	// maxCompiled and maxCompiledBytes limit the compiled modules kept without an instance, by number and by size of
	// their Wasm.
	maxCompiled      = 1024
	maxCompiledBytes = 256 << 20
	// maxModules and maxModuleBytes limit the rewritten modules kept in memory.
	maxModules     = 256
	maxModuleBytes = 64 << 20
	// slowCompileTime is the estimated time, in nanoseconds, from which a module is compiled in a separate process, if
	// there is one, and in separate slots: starting a process and loading its result takes some 50 ms.
	slowCompileTime = 500_000_000
	// maxScratchAge is the age at which a folder of a compilation, or compiled code without a receipt, has certainly been
	// abandoned.
	maxScratchAge = time.Hour
	// maxBuildIDOffset is how many bytes of a program are read for its build ID, which the linker puts at the beginning.
	maxBuildIDOffset = 32 << 10
	// maxDiskCache limits the cache folder when it is tidied; the oldest files are removed first.
	maxDiskCache = 8 << 30
	// The cache folder is tidied after maxTidyAge, or earlier if maxAdded units of addedUnit bytes were added, which are
	// 1 GiB. Each file is at least one unit.
	maxTidyAge = 24 * time.Hour
	maxAdded   = 1024
	addedUnit  = 1 << 20
	// maxCacheHead and maxReceipt limit what is read of the head of a cache file, and of a receipt in it.
	maxCacheHead, maxReceipt = 4 << 10, 256
	// maxCachedModule is the size of a rewritten module in a cache file, several times that of the largest upload: it is
	// read into memory to be checked.
	maxCachedModule = 512 << 20
)

// Smaller in tests, whose heaps are small.
var (
	// maxDebugMemory and maxDebugDisk limit the debug information that is kept for modules: in memory, and in files, where
	// one file has at most 512 MiB.
	maxDebugMemory = 256 << 20
	maxDebugDisk   = int64(4 << 30)

	// maxPatches is how many pages of its own a volatile guest keeps in memory: 8 MiB. One that changes more is no
	// longer volatile.
	maxPatches = 2048
	// trimFaults is after how many page faults of a heap the uncommitted pages of the file are freed.
	trimFaults = int64(32 << 20 / PageSize)
	// blockPages is the unit, in pages, in which never-written pages of a heap are told from others; a multiple of 64.
	blockPages = int64(256)
	// manyPages is the number of private pages above which a commit drops them while it writes, not at its end.
	manyPages = 4 << 20 / PageSize
	// largeHeap is the size in bytes from which page tables are dropped as well.
	largeHeap = 64 << 20
)
