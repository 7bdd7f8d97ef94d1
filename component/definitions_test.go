package component

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// runner runs programs and gives their traces.
type runner interface {
	run(t testing.TB, p *program) *interpreter
}

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

// theDefinitions run programs with definitions.py.
type theDefinitions struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

func newDefinitions(t testing.TB, path string) *theDefinitions {
	command := exec.Command("python3", "testdata/run_definitions.py", path)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &theDefinitions{in, bufio.NewScanner(out)}
}

func (d *theDefinitions) run(t testing.TB, p *program) *interpreter {
	in := newInterpreter(p)
	reply := func(args ...any) {
		if _, err := fmt.Fprintln(d.in, args...); err != nil {
			t.Fatal(err)
		}
	}
	profile := "deterministic"
	if p.free {
		profile = "free"
	}
	for reply(profile); d.out.Scan(); {
		words := strings.Fields(d.out.Text())
		switch words[0] {
		case "b":
			a := parse[uint32](t, words[1:])
			reply(in.begin(a[0], a[1], a[2], a[3]))
		case "e":
			a := parse[uint32](t, words[1:])
			in.event(a[0], a[1], a[2], a[3])
		case "s":
			a := parse[uint64](t, words[1:])
			o := in.step(uint32(a[0]), a[1])
			reply(o&0xff, o>>8&0xffffff, o>>32&0xffff, o>>48)
		case "w":
			on := 0
			if in.goesOn(identities(parse[uint32](t, words[1:]))[0]) {
				on = 1
			}
			reply(on)
		case "c":
			reply(in.option(words[1], identities(parse[uint32](t, words[2:]))))
		case "h":
			in.hostCall(parse[uint32](t, words[1:])[0])
		case "n":
			action := in.next(parseReport(parse[int](t, words[1:])))
			if reply(action...); action[0] == "end" {
				return in
			}
		case "t":
			in.note("trap")
			return in
		case "a":
			in.note("assertion %s", words[1])
			return in
		}
	}
	t.Fatalf("the definitions end in the middle of a program: %v", d.out.Err())
	return nil
}

func parse[N uint32 | uint64 | int](t testing.TB, words []string) []N {
	all := make([]N, len(words))
	for n, w := range words {
		v, err := strconv.ParseInt(w, 10, 64)
		if u, fault := strconv.ParseUint(w, 10, 64); fault == nil {
			v, err = int64(u), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		all[n] = N(v)
	}
	return all
}

func identities(words []uint32) (all []identity) {
	for four := range slices.Chunk(words, 4) {
		all = append(all, identity{four[0], four[1], four[2], four[3]})
	}
	return all
}

func parseReport(words []int) report {
	r := report{progress: words[0] == 1}
	rest := words[2:]
	for range words[1] {
		r.returned = append(r.returned, returnedCall{rest[0], rest[1]})
		rest = rest[2:]
	}
	r.cancelled = rest
	return r
}

var (
	programCount = flag.Uint64("programs", 10_000, "programs that run beside the specification's definitions")
	firstProgram = flag.Uint64("first", 0, "seed of the first one")
)

// The definitions of the specification are not a part of the repository: CANISTERD_DEFINITIONS names their file.
func TestProgramsGiveTheTracesOfTheDefinitions(t *testing.T) {
	path := os.Getenv("CANISTERD_DEFINITIONS")
	if path == "" {
		t.Skip("CANISTERD_DEFINITIONS does not name the specification's definitions.py: run make test-components-definitions")
	}
	ours := newWorkers(t)
	const parts = 8 // with go test -parallel 8: the two sides of a part mostly wait for each other
	for part := range uint64(parts) {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			theirs := newDefinitions(t, path)
			compared, traps, lines := 0, 0, 0
			for seed := *firstProgram + part; seed < *firstProgram+*programCount; seed += parts {
				p := drawProgram(seed)
				a, b := ours.run(t, p), theirs.run(t, p)
				if !slices.Equal(a.trace, b.trace) {
					reportDifference(t, p, ours, theirs)
				}
				compared++
				lines += len(a.trace)
				if slices.Contains(a.trace, "trap") {
					traps++
				}
			}
			t.Logf("%d programs, of which %d trap; %d events, all the same", compared, traps, lines)
		})
	}
}

// reportDifference fails with the shortest program that shows a difference.
func reportDifference(t *testing.T, p *program, ours, theirs runner) {
	p = p.shrink(func(p *program) bool { return !slices.Equal(ours.run(t, p).trace, theirs.run(t, p).trace) })
	a, b := ours.run(t, p).trace, theirs.run(t, p).trace
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	lines := func(trace []string) string { return "  " + strings.Join(trace, "\n  ") }
	t.Fatalf("a program differs:\n%v\nthe same on both sides:\n%s\nhere:\n%s\nby the definitions:\n%s", p,
		lines(a[:same]), lines(a[same:min(same+5, len(a))]), lines(b[same:min(same+5, len(b))]))
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
