package wasm

import (
	"errors"
	"fmt"
	"math"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// Entry is what a message runs: an exported function without parameters, or a closure (table index and argument) if
// Export is "".
type Entry struct {
	Export string
	Fn     uint32
	Env    uint64
}

// Budget says how many instructions a message may use and how they are granted.
type Budget struct {
	Limit uint64 // in total; the message ends at the first check that finds more executed
	Slice uint64 // between two calls of Pause, at most MaxSlice; 0 = DefaultSlice
	// ReplicaSlice is the slice of the replica's deterministic time slicing (2e9): a step that exceeds the end of a
	// slice by a whole slice ends the message with SliceOverrun. 0 = no such slices (queries).
	ReplicaSlice uint64
	// A message that has changed ScatteredPages pages is scattered, and its slices are ScatteredSlice from then on:
	// page faults take time that an instruction count does not show. Pages are counted after ScatteredSlice
	// instructions, and again each time the instructions have doubled. 0 = they are not counted.
	ScatteredPages int
	ScatteredSlice uint64
	// Pause is called on the guest's goroutine each time a slice ends and the message continues, and between the pieces
	// of a bulk operation. It may block, to suspend a long message. It may call End. Progress is the number of executed
	// instructions; a bulk operation, which is charged as a whole before it begins, adds its own a second time, piece
	// by piece. It depends only on the code, never on time.
	Pause func(progress uint64)
}

// Run runs one function of the message. It returns nil, a *Trap, or the error a host function gave to End. A panic in a
// host function is passed on. Memory and globals stay as the function left them until Commit or Rollback; Run may be
// called again before.
func (g *Guest) Run(entry Entry, host any, budget Budget) error {
	g.begin()
	if g.running {
		panic("wasm: guest run from inside itself")
	}
	l := g.resident
	f := l.find(entry.Export)
	if kind := g.uncallable(entry, f); kind != Bug {
		g.granted = 0
		l.counter.Set(rewrite.NewCounter(0))
		return &Trap{Kind: kind}
	}
	g.host, g.budget, g.compared, g.ending = host, budget, false, nil
	l.counter.Set(rewrite.NewCounter(0))
	g.grant(0)
	l.stack = [2]uint64{uint64(entry.Fn), entry.Env}
	g.running, l.running = true, f
	l.cover(g.covered, g.coveredPerRun)
	l.heap.watch()
	err := f.call.CallWithStack(&l.context, l.stack[:])
	l.heap.unwatch()
	l.tellRan()
	g.running, l.running, g.host, g.recorder = false, nil, nil, nil
	if err != nil {
		f.forget()
		return g.outcome(err, entry)
	}
	if f.stack != nil && len(*f.stack) > maxStack {
		f.forget()
	}
	return nil
}

// uncallable returns why an entry cannot be called, or Bug if it can.
func (g *Guest) uncallable(entry Entry, f *function) TrapKind {
	switch {
	case entry.Export == "" && entry.Env > math.MaxUint32 && !g.Memory64():
		return ClosureArgument // of a closure made before an upgrade from 64 to 32 bits
	case f != nil:
		return Bug
	case entry.Export == "":
		return TableNotFound
	}
	return FunctionNotFound
}

// notCalled returns why the trampoline itself failed with a trap of this kind. The engine does not distinguish an empty
// entry from an index past the table.
func (g *Guest) notCalled(entry Entry, kind TrapKind) TrapKind {
	switch kind {
	case TableOutOfBounds, NullFunction:
		if uint64(entry.Fn) >= g.code.module.TableSize {
			return FunctionNotFound
		}
		return NullClosure
	case BadSignature:
		return ClosureSignature
	}
	return kind
}

// outcome returns the error of an unwound message.
func (g *Guest) outcome(err error, entry Entry) error {
	if g.ending != nil && errors.Is(err, errEnded) {
		ending := g.ending
		g.ending = nil
		if t, ok := ending.(*Trap); ok && t.Backtrace == nil {
			t.Backtrace = backtraceOf(err, g.code.module)
		}
		return ending
	}
	trap, ok := trapOf(err, g.code.module)
	if !ok {
		panic(fmt.Errorf("wasm: panic in a host function: %w", err))
	}
	if entry.Export == "" && len(trap.Backtrace) == 1 {
		trap.Kind = g.notCalled(entry, trap.Kind)
	}
	return trap
}

// grant begins the next slice after a number of executed instructions: up to the limit and the end of the replica's
// slice.
func (g *Guest) grant(executed uint64) {
	slice := g.budget.Slice
	if slice == 0 {
		slice = DefaultSlice
	}
	slice = min(slice, MaxSlice)
	if executed == 0 {
		g.boundary, g.resumed, g.moved, g.part = math.MaxUint64, 0, 0, g.firstPart()
		g.scattered, g.look = false, math.MaxUint64
		if g.budget.ScatteredSlice != 0 {
			g.look = g.budget.ScatteredSlice
		}
		if g.budget.ReplicaSlice != 0 {
			g.boundary = g.budget.ReplicaSlice
		}
	}
	next := min(slice, g.budget.Limit-executed, g.boundary-executed)
	g.sliceEnd = executed + next
	g.grantPart(g.resident.counter.Get(), executed)
}

// hasSmallHeap reports whether all page faults that the heap can cause take little time.
func (g *Guest) hasSmallHeap() bool { return len(g.resident.heap.bytes()) <= smallHeap }

// firstPart returns how many instructions are granted at the beginning of a message.
func (g *Guest) firstPart() uint64 {
	if g.hasSmallHeap() {
		return smallHeapGrant
	}
	return minGrant
}

// nextPart returns how many are granted next: in a large heap, few after many page faults.
func (g *Guest) nextPart() uint64 {
	switch {
	case g.hasSmallHeap():
		return smallHeapGrant
	case g.resident.heap.faulted() > manyFaults:
		return minGrant
	}
	return min(2*g.part, maxGrant)
}

// shortenPart ends the part of a heap that is no longer small.
func (g *Guest) shortenPart() {
	g.part = minGrant
	counter := g.resident.counter.Get()
	if left := rewrite.Instructions(counter); left > minGrant {
		g.granted -= uint64(left - minGrant)
		g.setLeft(counter, minGrant)
	}
}

// grantPart sets the counter for the next part of the slice. Parts have no visible effect: the message neither pauses
// nor ends between two of them.
func (g *Guest) grantPart(counter, executed uint64) {
	next := min(g.part, g.sliceEnd-executed, g.look-executed)
	g.granted = executed + next
	g.setLeft(counter, int64(next))
}

// left returns the instructions left in the counter.
func (g *Guest) left() int64 { return rewrite.Instructions(g.resident.counter.Get()) }

// setLeft sets the instructions left in the counter. A value below its range counts the excess as granted and used.
func (g *Guest) setLeft(counter uint64, left int64) {
	if left < -rewrite.MaxInstructions {
		g.granted += uint64(-rewrite.MaxInstructions - left)
		left = -rewrite.MaxInstructions
	}
	g.resident.counter.Set(rewrite.SetInstructions(counter, left))
}

// refill is called when the counter is below zero: the next part of the slice or the next slice begins, or the message
// ends. With a full call stack, a function whose frame does not fit calls it.
func (g *Guest) refill() {
	counter := g.resident.counter.Get()
	if rewrite.StackFull(counter) {
		g.End(&Trap{Kind: StackOverflow})
	}
	left := rewrite.Instructions(counter)
	executed := g.granted - uint64(left)
	g.part = g.nextPart()
	found := g.lookForScattered(executed + g.moved)
	if executed <= g.sliceEnd && !found {
		g.grantPart(counter, executed)
		return
	}
	if executed > g.boundary && g.boundary < g.budget.Limit {
		if executed-g.boundary >= g.budget.ReplicaSlice {
			g.End(&Trap{Kind: SliceOverrun, Count: min(executed-g.resumed, math.MaxInt64)})
		}
		g.boundary += g.budget.ReplicaSlice
		g.resumed = executed
	}
	if executed > g.budget.Limit {
		g.End(&Trap{Kind: InstructionLimit})
	}
	g.pause(executed + g.moved)
	g.grant(executed)
}

// refuseHugeCharge ends a message with a charge of more instructions than the counter holds. No limit is that high.
func (g *Guest) refuseHugeCharge(size uint64) {
	g.granted += min(size, math.MaxInt64)
	g.refill()
	panic(fmt.Sprintf("wasm: bug: a message goes on after a charge of %d instructions; the limit is %d", size, g.budget.Limit))
}

// lookForScattered counts the changed pages when a count is due, and reports whether the message has just become
// scattered. This depends only on the bytes of the heap, so a message pauses at the same places wherever it runs.
func (g *Guest) lookForScattered(progress uint64) bool {
	if progress < g.look {
		return false
	}
	g.look = 2 * progress
	g.resident.heap.unwatch()
	defer g.resident.heap.watch()
	g.slot.mu.Lock()
	defer g.slot.mu.Unlock()
	many, err := g.resident.heap.changedMany(g.budget.ScatteredPages)
	if err != nil {
		panic(fmt.Errorf("wasm: count the pages a message changed: %w", err))
	}
	if many {
		g.look, g.scattered, g.budget.Slice = math.MaxUint64, true, g.budget.ScatteredSlice
	}
	return many
}

// Scattered reports whether the message of the current or last Run is scattered, see Budget.
func (g *Guest) Scattered() bool { return g.scattered }

// pause releases the thread, since a pause may take long.
func (g *Guest) pause(progress uint64) {
	if g.budget.Pause == nil {
		return
	}
	g.resident.heap.unwatch()
	defer g.resident.heap.watch()
	g.resident.tellRan() // the message may never go on
	g.budget.Pause(progress)
}

// Suspend is called inside a host function that waits: it releases the thread while wait runs. The wait may be long and
// the canister takes no other message meanwhile, so it drops the function objects of other methods: each has a stack of
// 10 KiB.
func (g *Guest) Suspend(wait func()) {
	g.resident.forgetIdle()
	g.resident.tellRan() // the message may never go on
	g.resident.heap.unwatch()
	defer g.resident.heap.watch()
	wait()
}

// FinishPiece is called between two pieces of a bulk operation, with the charge of the finished piece: the message may
// pause there. The counter does not change.
func (g *Guest) FinishPiece(instructions uint64) {
	g.moved += instructions
	progress := g.Executed() + g.moved
	g.lookForScattered(progress)
	g.pause(progress)
}

// Host returns the host passed to Run, for host functions.
func (g *Guest) Host() any { return g.host }

// End is called inside a host function (or Pause, or OnGrow): it unwinds the guest, and Run returns err. It does not
// return.
func (g *Guest) End(err error) {
	if err == nil {
		panic("wasm: End without an error")
	}
	g.ending = err
	panic(errEnded)
}

// Executed returns the number of instructions that this Run executed so far or in total. It is exact at host calls, and
// may exceed the limit if the message ended for that reason.
func (g *Guest) Executed() uint64 {
	if g.resident == nil {
		return 0
	}
	return g.granted - uint64(g.left())
}

// Charge takes n instructions for a System API call: check, subtract, check. It does not return if the message is out
// of instructions. A count beyond int64 always fails: the message ends with the instructions it had, and the trap
// counts what the slice could have used.
func (g *Guest) Charge(n uint64) {
	counter := g.resident.counter.Get()
	if rewrite.Instructions(counter) < 0 {
		g.refill()
		counter = g.resident.counter.Get()
	}
	if n > math.MaxInt64 {
		g.End(&Trap{Kind: InstructionLimit, Count: min(g.boundary, max(g.budget.Limit, g.resumed)) - g.resumed})
	}
	g.spend(counter, n)
}

// Spend takes n instructions as the code itself does for a bulk operation: n is signed, and a negative one is more than
// any slice has.
func (g *Guest) Spend(n uint64) { g.spend(g.resident.counter.Get(), n) }

func (g *Guest) spend(counter, n uint64) {
	before := rewrite.Instructions(counter)
	left := before - int64(n)
	if left > before {
		left = math.MinInt64
	}
	g.setLeft(counter, left)
	if left < 0 {
		g.refill()
	}
}

// grew applies the policy of memory.grow, which may have failed; old is its result.
func (g *Guest) grew(old, pages uint32) {
	if old == math.MaxUint32 {
		return
	}
	if g.part == smallHeapGrant && !g.hasSmallHeap() {
		g.shortenPart()
	}
	if g.onGrow == nil {
		return
	}
	if err := g.onGrow(old, pages); err != nil {
		g.End(err)
	}
}

// OnGrow sets the policy for memory.grow: it is called after the memory grew by wantPages from oldPages pages of 64
// KiB, and an error ends the message. It is not called when growing failed.
func (g *Guest) OnGrow(policy func(oldPages, wantPages uint32) error) { g.onGrow = policy }

// Memory64 reports whether the module has a 64-bit memory.
func (g *Guest) Memory64() bool { return g.code.module.Memory64 }

// HasMemory reports whether the module has a memory.
func (g *Guest) HasMemory() bool { return g.code.module.HasMemory }

// Code returns the code that the guest runs.
func (g *Guest) Code() *Code { return g.code }

// MemorySize returns the size of the heap in bytes, of the open message or the committed one.
func (g *Guest) MemorySize() uint64 {
	if g.open {
		return uint64(len(g.resident.heap.bytes()))
	}
	g.slot.mu.Lock()
	defer g.slot.mu.Unlock()
	return uint64(g.slot.size)
}

// View returns the heap bytes [ptr, ptr+size) in place, or false if some are out of bounds. It is valid until the guest
// runs again or the message ends. It opens a message if there is none.
func (g *Guest) View(ptr, size uint64) ([]byte, bool) {
	g.begin()
	memory := g.resident.heap.bytes()
	if ptr > uint64(len(memory)) || size > uint64(len(memory))-ptr {
		return nil, false
	}
	if !g.running {
		g.compared = false
		g.resident.heap.lost()
	}
	return memory[ptr : ptr+size : ptr+size], true
}
