package canister

import (
	"errors"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// InstallMode is the mode of install_code.
type InstallMode uint8

// The modes.
const (
	InstallFresh InstallMode = iota
	Reinstall
	Upgrade
)

// String returns the variant of canister_install_mode.
func (m InstallMode) String() string { return [...]string{"install", "reinstall", "upgrade"}[m] }

// Persistence says what an upgrade does with the heap (wasm_memory_persistence).
type Persistence uint8

// The choices; NotGiven is null.
const (
	NotGiven Persistence = iota
	Keep
	Replace
)

// Install is an installation of code (interface specification, "IC method install_code"). The caller has checked its
// permissions.
type Install struct {
	Mode           InstallMode
	SkipPreUpgrade bool        // Upgrade
	Persistence    Persistence // Upgrade
	Module         *Module
	Known          bool // the subnet has compiled the module before, so it costs less
	Arg            []byte
	Caller         principal.Principal // the sender: ic0.msg_caller
	Origin         ChangeOrigin        // for the history
	Pause          func()              // as Message.Pause
}

// Install runs install_code as one transaction of start, canister_init or canister_pre_upgrade, start,
// canister_post_upgrade (interface specification, "IC method install_code"). On success, the canister has the new
// module, an incremented Version, a new Installed and an entry in the history. After a failure, only Logs has changed.
//
// The caller handles the prepayment, as in Execute.
func (c *Canister) Install(sub *Subnet, in *Install) Outcome {
	i := installation{
		real: c, work: *c, sub: sub, in: in, firstLog: c.Logs.Next(),
		message: Message{Caller: in.Caller, Payload: in.Arg},
	}
	over := false
	defer func() {
		if !over { // a paused message was abandoned
			i.abandon()
		}
	}()
	reject := i.run()
	over = true
	out := Outcome{
		Backtrace: i.backtrace, Lines: i.lines, Instructions: i.used, DirtyPages: i.pages, Logs: int(c.Logs.Next() - i.firstLog), Burned: i.burned,
		Runs: i.runs,
	}
	if reject == nil {
		out.HeapDelta = i.delta()
		reject = i.commit()
	}
	if reject != nil {
		i.abandon()
		out.Failure, out.Burned, out.HeapDelta = reject, cycles.Amount{}, 0
	}
	return out
}

// installation is the progress of one install_code.
type installation struct {
	real     *Canister
	work     Canister // the canister after the installation; its logs are not used
	sub      *Subnet
	in       *Install
	message  Message
	next     *state // with the new code, not committed; nil before create
	used     uint64
	pages    int
	fresh    uint64 // pages of data segments
	burned   cycles.Amount
	firstLog uint64
	runs     []ProfiledRun

	backtrace string
	lines     []SourceLine // of the functions in backtrace
}

func (i *installation) run() *intercanister.Reject {
	old := i.real.state
	if reject := i.admissible(old); reject != nil {
		return reject
	}
	if i.in.Mode == Upgrade && !i.in.SkipPreUpgrade && old.module.Has(PreUpgrade) {
		if reject := i.step(old.loadedRunner(), PreUpgrade); reject != nil {
			return reject
		}
	}
	if reject := i.persistence(old); reject != nil {
		return reject
	}
	if reject := i.create(old); reject != nil {
		return reject
	}
	w := &i.work
	w.Version++
	w.Timer = 0
	if i.in.Mode != Upgrade {
		w.Certified = []byte{}
	}
	next := i.next.runner
	if i.in.Module.Has(Start) {
		if reject := i.step(next, Start); reject != nil {
			return reject
		}
		if err := next.guest.Mark(); err != nil {
			return engineFailed(err).reject(w.ID)
		}
	}
	context := Init
	if i.in.Mode == Upgrade {
		context = PostUpgrade
	}
	if i.in.Module.Has(context) {
		if reject := i.step(next, context); reject != nil {
			return reject
		}
	}
	return i.affordable()
}

// admissible checks the mode against the state of the canister.
func (i *installation) admissible(old *state) *intercanister.Reject {
	switch {
	case i.in.Mode == InstallFresh && old != nil:
		return intercanister.Rejectf(intercanister.CanisterNonEmpty,
			"Canister %s cannot be installed because the canister is not empty. Try installing with mode='reinstall' instead.", i.work.ID)
	case i.in.Mode == Upgrade && old == nil:
		return moduleNotFound().reject(i.work.ID)
	}
	return nil
}

// persistence checks that an upgrade says whether to keep the heap, if a module requires that.
func (i *installation) persistence(old *state) *intercanister.Reject {
	if i.in.Mode != Upgrade {
		return nil
	}
	switch {
	case i.in.Persistence == NotGiven && old.module.keepsHeap():
		return intercanister.Rejectf(intercanister.CanisterContractViolation,
			"Missing upgrade option: Enhanced orthogonal persistence requires the `wasm_memory_persistence` upgrade option.")
	case i.in.Persistence == Keep && !i.in.Module.keepsHeap():
		return intercanister.Rejectf(intercanister.CanisterContractViolation,
			"Invalid upgrade option: The `wasm_memory_persistence: opt Keep` upgrade option requires that the new canister module supports enhanced orthogonal persistence.")
	}
	return nil
}

// create makes the state with the new code. It costs as much as preparing the module.
func (i *installation) create(old *state) *intercanister.Reject {
	m := i.in.Module
	cost := m.InstructionCost()
	if i.in.Known {
		cost = m.KnownInstructionCost()
	}
	cost = min(cost, i.sub.Limits.Install-i.used)
	i.used += cost
	if i.sub.Profiled != nil && i.sub.Profiled(i.work.ID) {
		i.runs = append(i.runs, m.compiling(i.work.ID, cost))
	}
	kept, err := m.engine.keep(m)
	if err != nil {
		return engineFailed(err).reject(i.work.ID)
	}
	var guest *wasm.Guest
	if old == nil {
		guest, err = m.engine.wasm.NewGuest(m.code)
	} else {
		guest, err = old.loadedRunner().guest.Successor(m.code, i.in.Mode == Upgrade && i.in.Persistence == Keep)
	}
	if err != nil {
		kept.release()
		return i.notCreated(err)
	}
	var memory *stable.Memory
	if i.in.Mode == Upgrade {
		memory = old.loadedRunner().stable
	} else {
		memory = stable.New(m.engine.wasm.File())
	}
	i.next = newState(m, kept, guest, memory)
	if i.in.Mode != Upgrade || i.in.Persistence != Keep {
		i.fresh = guest.Written()
	}
	return nil
}

func (i *installation) notCreated(err error) *intercanister.Reject {
	var trap *wasm.Trap
	if errors.As(err, &trap) {
		if what, ok := traps[trap.Kind]; ok {
			return (&failure{Failure: ic0.Trapped(what)}).reject(i.work.ID)
		}
	}
	return engineFailed(err).reject(i.work.ID)
}

// step runs one function and adopts what it changed outside the memories.
func (i *installation) step(r *runner, context Context) *intercanister.Reject {
	limit := i.sub.Limits.Install
	res := r.run(&i.work, &i.real.Logs, i.sub, &i.message, &attempt{
		context: context, entry: wasm.Entry{Export: r.module.function(context)}, limit: limit - i.used, report: limit,
		slice: i.sub.Limits.Slice, tracked: true, pause: i.in.Pause, after: i.sub.Limits.PauseAfter,
	})
	i.used += res.instructions
	i.runs = append(i.runs, r.takeRuns()...)
	i.pages += res.pages
	if res.failure != nil {
		res.failure.log(r.x)
	} else {
		i.work.adopt(r)
		i.burned = i.burned.Add(r.x.Burned)
	}
	i.real.Logs.add(r.x.Logs(), i.work.Settings.LogMemoryLimit)
	r.forget()
	if res.failure != nil {
		i.backtrace, i.lines = res.failure.frames(), res.failure.lines
		return res.failure.reject(i.work.ID)
	}
	return nil
}

// affordable checks the new state of the canister against its limits and its balance, and reserves cycles for its
// growth.
func (i *installation) affordable() *intercanister.Reject {
	w, sub := &i.work, i.sub
	heap := i.next.runner.guest.MemorySize()
	if limit := w.Settings.WasmMemoryLimit; limit != 0 && heap > limit {
		return (&failure{Failure: ic0.HeapLimit(limit, heap)}).reject(w.ID)
	}
	before := i.real.memoryUsed()
	after := w.memoryUsedBy(i.next.runner)
	i.next.runner.fill(w, &i.real.Logs, sub, &i.message, Init)
	defer i.next.runner.forget() // the message is a part of i, which has the module
	x := i.next.runner.x
	grown := max(after, w.Settings.MemoryAllocation) - min(max(before, w.Settings.MemoryAllocation), max(after, w.Settings.MemoryAllocation))
	if room := x.MemoryLeft(); grown > room {
		return intercanister.Rejectf(intercanister.SubnetOversubscribed,
			"Canister requested %d bytes of memory but only %d bytes are available in the subnet.", grown, room)
	}
	aside, poor := x.Reservation(grown, sub.MemoryUsed)
	if poor != nil {
		return (&failure{Failure: poor}).reject(w.ID)
	}
	w.Balance, w.Reserved = w.Balance.Sub(aside), w.Reserved.Add(aside)
	balance := w.Balance.Add(sub.Fees.ExecutionRefund(sub.Limits.Install-i.used, false))
	if limit := w.freezingLimit(sub, after); balance.Less(limit) {
		text := "Canister " + w.ID.String() + " is out of cycles"
		if w.Settings.Controls(i.in.Caller) {
			text += ": please top up the canister with at least " + limit.Sub(balance).Grouped() + " additional cycles"
		}
		return intercanister.Rejectf(intercanister.CanisterOutOfCycles, "Canister installation failed with `%s`.", text)
	}
	return nil
}

// delta returns how many bytes of memory the installation changed, including the data segments of a fresh heap.
func (i *installation) delta() uint64 {
	if i.sub.Limits.HeapDelta == 0 {
		return 0
	}
	return wasm.PageSize * (uint64(i.pages+i.next.runner.stable.Changed()) + i.fresh)
}

// commit makes the new state the canister's.
func (i *installation) commit() *intercanister.Reject {
	if err := i.next.commit(); err != nil {
		return engineFailed(err).reject(i.work.ID)
	}
	c, w := i.real, &i.work
	if c.state != nil {
		c.state.close(i.in.Mode == Upgrade)
	}
	if i.in.Mode != Upgrade {
		c.Logs.forget(i.firstLog)
	}
	c.state, i.next = i.next, nil
	c.Balance, c.Reserved, c.Consumed = w.Balance, w.Reserved, w.Consumed
	c.Timer, c.Certified = w.Timer, w.Certified
	c.Version++
	c.Installed = i.sub.Time
	c.History.Add(Change{
		Time: i.sub.Time, Version: c.Version, Origin: i.in.Origin,
		Details: Deployment{Mode: i.in.Mode, Hash: i.in.Module.Hash()},
	})
	return nil
}

// abandon releases everything that was made for the installation, and undoes the changes of the old state.
func (i *installation) abandon() {
	if i.next != nil {
		i.next.close(i.in.Mode == Upgrade)
	}
	if i.real.state != nil {
		i.real.state.rollback()
	}
}
