package component

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// workers run programs with this package.
type workers struct{ *Component }

// newWorkers compiles testdata/valid/workers.wat. Of two equal canonical definitions that can be cancellable, the second one
// becomes so.
func newWorkers(t testing.TB) workers {
	binary := slices.Clone(programs(t, "valid")["workers"])
	component, err := read(binary)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range component {
		if worker, ok := d.body.(nested); ok {
			makeCancellable(binary, worker.component)
		}
	}
	c, err := Compile(context.Background(), binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return workers{c}
}

func makeCancellable(binary []byte, worker definitions) {
	seen := map[canonKind]bool{}
	for _, d := range worker {
		canon, ok := d.body.(canonDef)
		if !ok {
			continue
		}
		switch canon.kind {
		case canonWaitableSetWait, canonWaitableSetPoll, canonThreadYield, canonThreadSuspend, canonThreadSuspendResume,
			canonThreadYieldResume, canonThreadSuspendPromote, canonThreadYieldPromote:
			if seen[canon.kind] {
				binary[d.offset+1] = 1 // behind the code of the definition
			}
			seen[canon.kind] = true
		}
	}
}

// workerRun is a run of a program.
type workerRun struct {
	*interpreter
	*Instance
	first   int    // number of the first worker
	begun   uint32 // calls of a worker before the program
	started []*Call
	told    []bool // whether the end of a call was reported
	open    []*Completion
	ctxs    []context.Context
	asked   []bool
}

func (w workers) run(t testing.TB, p *program) *interpreter {
	r := &workerRun{interpreter: newInterpreter(p)}
	words := func(args []any) (all []uint32) {
		for _, a := range args {
			all = append(all, a.(uint32))
		}
		return all
	}
	begin := func(worker uint32) Func {
		return func(_ context.Context, args []any) (any, error) {
			a := words(args)
			return r.interpreter.begin(worker, a[0], a[1], a[2]), nil
		}
	}
	imports := Imports{
		"begin-0": begin(0), "begin-1": begin(1), "begin-2": begin(2),
		"event": Func(func(_ context.Context, args []any) (any, error) {
			a := words(args)
			r.event(a[0], a[1], a[2], a[3])
			return nil, nil
		}),
		"step": Func(func(_ context.Context, args []any) (any, error) {
			return r.step(args[0].(uint32), args[1].(uint64)), nil
		}),
		"h": AsyncFunc(func(ctx context.Context, args []any, c *Completion) {
			r.hostCall(args[0].(uint32))
			r.open, r.ctxs, r.asked = append(r.open, c), append(r.ctxs, ctx), append(r.asked, false)
		}),
		"no-plain":     Func(nil),
		"no-streaming": AsyncFunc(nil),
		"no-awaiting":  AsyncFunc(nil),
	}
	i, err := w.Instantiate(context.Background(), imports, WithScheduler(r))
	if err != nil {
		t.Fatal(err)
	}
	r.Instance = i
	f, err := i.function("worker-0#s")
	if err != nil {
		t.Fatal(err)
	}
	r.first, r.begun = f.lifted.instance.number, f.lifted.instance.calls
	r.drive(t)
	if err := i.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r.interpreter
}

// Choose makes the choices of the interpreter.
func (r *workerRun) Choose(kind ChoiceKind, options []Option) int {
	all := make([]identity, len(options))
	for n, o := range options {
		all[n] = identity{r.worker(o.Instance), o.Task - r.begun, o.Thread, o.Handle}
	}
	switch kind {
	case ChooseWait, ChooseYield:
		if r.goesOn(all[0]) == (kind == ChooseWait) {
			return 0
		}
		return 1
	case ChooseEvent:
		return r.option("event", all)
	case ChooseCancelled:
		return r.option("cancelled", all)
	}
	return r.option("thread", all)
}

// worker gives the number of the worker of an instance. Each makes two core instances.
func (r *workerRun) worker(instance int) uint32 { return uint32(instance-r.first) / 3 }

func (r *workerRun) drive(t testing.TB) {
	ctx := context.Background()
	progress := false
	for {
		action := r.next(r.report(progress))
		progress = false
		var err error
		switch action[0] {
		case "end":
			return
		case "call":
			var c *Call
			c, err = r.Start(ctx, fmt.Sprintf("worker-%d#%s", action[1], action[2]), uint32(action[3].(int)))
			r.started, r.told = append(r.started, c), append(r.told, false)
		case "tick":
			err = r.Instance.host.run(ctx, func() { progress = r.Instance.host.step() })
		case "cancel":
			err = r.started[action[1].(int)].requestCancel(ctx)
		default:
			c := r.open[action[1].(int)]
			if action[0] == "drop" {
				c.Cancelled()
			} else {
				c.Return(uint32(action[2].(int)))
			}
			err = r.Instance.host.run(ctx, func() {
				for _, c := range r.Instance.host.inbox.takeAll() {
					c.deliver()
				}
			})
		}
		if trap := new(Trap); errors.As(err, &trap) {
			r.note("trap")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (r *workerRun) report(progress bool) report {
	all := report{progress: progress}
	for n, c := range r.started {
		if c.Done() && !r.told[n] {
			r.told[n] = true
			result := -1
			if c.state == subtaskReturned {
				result = int(c.result.(uint32))
			}
			all.returned = append(all.returned, returnedCall{n, result})
		}
	}
	for n, ctx := range r.ctxs {
		if ctx.Err() != nil && !r.asked[n] && r.hostCalls[n] {
			r.asked[n] = true
			all.cancelled = append(all.cancelled, n)
		}
	}
	return all
}

// The traces of the first programs, and of those that once showed a difference, are recorded as their hashes: they are those of
// the definitions.
func TestProgramsGiveTheRecordedTraces(t *testing.T) {
	ours := newWorkers(t)
	var recorded strings.Builder
	for _, seed := range slices.Concat(numbersTo(150), []uint64{795, 9849}) {
		trace := ours.run(t, drawProgram(seed)).trace
		hash := sha256.Sum256([]byte(strings.Join(trace, "\n")))
		fmt.Fprintf(&recorded, "%d %d %x\n", seed, len(trace), hash[:8])
	}
	golden.Compare(t, "testdata/traces.txt", recorded.String())
}

func numbersTo(n uint64) (all []uint64) {
	for i := range n {
		all = append(all, i)
	}
	return all
}
