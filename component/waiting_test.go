package component

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// fetches are the calls of a function of the host that did not finish.
type fetches struct {
	calls    []*Completion
	ids      []uint32
	contexts []context.Context
}

func (f *fetches) imports() Imports {
	return Imports{"fetch": AsyncFunc(func(ctx context.Context, args []any, c *Completion) {
		f.calls, f.ids, f.contexts = append(f.calls, c), append(f.ids, args[0].(uint32)), append(f.contexts, ctx)
	})}
}

// begin begins a call.
func (i *Instance) begin(t testing.TB, name string, args ...any) *Call {
	t.Helper()
	c, err := i.Start(t.Context(), name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// gives checks the result of a call.
func (c *Call) gives(t testing.TB, want any) {
	t.Helper()
	if got, err := c.Wait(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestCallsWaitForFunctionsOfTheHostThatFinishInAnyOrder(t *testing.T) {
	var host fetches
	i := started(t, "waiting", host.imports())
	calls := []*Call{i.begin(t, "double", uint32(7)), i.begin(t, "double", uint32(8)), i.begin(t, "double", uint32(9))}
	if !slices.Equal(host.ids, []uint32{7, 8, 9}) {
		t.Fatalf("fetched %v, want 7, 8 and 9", host.ids)
	}
	for _, n := range []int{2, 0, 1} {
		host.calls[n].Return(uint32(100 * n))
		calls[n].gives(t, uint32(200*n))
	}
	for n, c := range calls {
		if !c.Done() {
			t.Errorf("call %d is not done", n)
		}
	}
}

func TestAFunctionOfTheHostFinishesOnAnotherGoroutine(t *testing.T) {
	i := started(t, "waiting", Imports{"fetch": AsyncFunc(func(_ context.Context, args []any, c *Completion) {
		go c.Return(args[0].(uint32) + 1)
	})})
	for n := range uint32(20) {
		i.returns(t, 2*(n+1), "double", n)
		i.returns(t, 3*(n+1), "triple", n)
	}
}

func TestCoreCodeThatBlocksKeepsItsStackUntilTheHostFinishes(t *testing.T) {
	var host fetches
	i := started(t, "waiting", host.imports())
	first := i.begin(t, "triple", uint32(1))
	second := i.begin(t, "triple", uint32(2)) // has to wait: the first one has exclusive use of the instance
	if len(host.calls) != 1 {
		t.Fatalf("%d calls of the host, want 1", len(host.calls))
	}
	host.calls[0].Return(uint32(5))
	first.gives(t, uint32(15))
	if err := i.Settle(t.Context()); err != nil || len(host.calls) != 2 {
		t.Fatalf("%v, %d calls of the host, want 2", err, len(host.calls))
	}
	host.calls[1].Return(uint32(6))
	second.gives(t, uint32(18))
}

func TestBackpressureHoldsCallsInTheirOrder(t *testing.T) {
	var host fetches
	i := started(t, "waiting", host.imports())
	i.returns(t, nil, "close-door")
	first, second := i.begin(t, "double", uint32(1)), i.begin(t, "double", uint32(2))
	dropped := i.begin(t, "double", uint32(3))
	if err := dropped.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := dropped.Wait(t.Context()); !errors.Is(err, ErrCancelled) {
		t.Errorf("a cancelled call that had not started: %v", err)
	}
	if len(host.ids) != 0 {
		t.Fatalf("calls began behind a closed door: %v", host.ids)
	}
	i.returns(t, nil, "open-door")
	if err := i.Settle(t.Context()); err != nil || !slices.Equal(host.ids, []uint32{1, 2}) {
		t.Fatalf("%v, fetched %v, want 1 and 2", err, host.ids)
	}
	host.calls[0].Return(uint32(10))
	host.calls[1].Return(uint32(20))
	first.gives(t, uint32(20))
	second.gives(t, uint32(40))
}

func TestACallWithoutValuesStartsLater(t *testing.T) {
	i := started(t, "parked", nil)
	i.returns(t, nil, "close")
	for range 3 {
		i.returns(t, nil, "hold")
	}
	if i.host.tasks != 3 {
		t.Errorf("%d calls wait to start, want 3", i.host.tasks)
	}
	i.returns(t, nil, "open")
	if err := i.Settle(t.Context()); err != nil || i.host.tasks != 0 {
		t.Errorf("%v, %d calls are left", err, i.host.tasks)
	}
}

func TestACancelledCallCancelsWhatItWaitsFor(t *testing.T) {
	var host fetches
	i := started(t, "waiting", host.imports())
	ended, returned := i.begin(t, "double", uint32(1)), i.begin(t, "double", uint32(2))
	for n, c := range []*Call{ended, returned} {
		if err := c.Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c.Done() || host.contexts[n].Err() == nil {
			t.Errorf("call %d: done %v, context %v: want it to wait, and its context cancelled", n, c.Done(), host.contexts[n].Err())
		}
	}
	host.calls[0].Cancelled()
	if _, err := ended.Wait(t.Context()); !errors.Is(err, ErrCancelled) {
		t.Errorf("%v, want ErrCancelled", err)
	}
	host.calls[1].Return(uint32(3))
	returned.gives(t, uint32(6))
}

func TestAContextThatEndsCancelsTheCall(t *testing.T) {
	var host fetches
	i := started(t, "waiting", host.imports())
	ctx, cancel := context.WithCancel(t.Context())
	c := i.begin(t, "double", uint32(1))
	cancel()
	if _, err := c.Wait(ctx); !errors.Is(err, context.Canceled) || host.contexts[0].Err() == nil {
		t.Errorf("%v, and the context of the host's function %v", err, host.contexts[0].Err())
	}
	host.calls[0].Return(uint32(1))
	c.gives(t, uint32(2))
}

func TestStreamsAreReadAndWrittenByTheHost(t *testing.T) {
	i := started(t, "waiting", Imports{"fetch": AsyncFunc(nil)})
	text := strings.Repeat("a stream of bytes ", 1000)
	want := strings.ToUpper(text)

	shouted, err := i.Call(t.Context(), "shout", StreamOf(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(shouted.(*Stream)); err != nil || string(got) != want {
		t.Errorf("%v, %d bytes that are equal: %v", err, len(got), string(got) == want)
	}

	in, writer := NewStream()
	shouted, err = i.Call(t.Context(), "shout", in)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := shouted.(*Stream).Pipe(&out); err != nil {
		t.Fatal(err)
	}
	if n, err := io.WriteString(writer, text); err != nil || n != len(text) {
		t.Errorf("wrote %d of %d bytes: %v", n, len(text), err)
	}
	if err := errors.Join(writer.Close(), i.Settle(t.Context())); err != nil || out.String() != want {
		t.Errorf("%v, %d bytes that are equal: %v", err, out.Len(), out.String() == want)
	}
}

func TestAStreamThatTheOtherSideDroppedIsClosed(t *testing.T) {
	i := started(t, "waiting", Imports{"fetch": AsyncFunc(nil)})
	in, writer := NewStream()
	shouted, err := i.Call(t.Context(), "shout", in)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is full")
	if err := shouted.(*Stream).Pipe(writerFunc(func([]byte) (int, error) { return 0, broken })); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(writer, "a"); err != nil {
		t.Error(err)
	}
	if err := i.Settle(t.Context()); err != nil || !errors.Is(shouted.(*Stream).Err(), broken) {
		t.Errorf("%v, and the error of the stream is %v", err, shouted.(*Stream).Err())
	}
	if _, err := shouted.(*Stream).Read(make([]byte, 1)); err == nil || err.Error() != "the stream was closed or passed to a component" {
		t.Errorf("reading a stream that was piped: %v", err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestFuturesGetAValueBeforeOrAfterTheyArePassed(t *testing.T) {
	i := started(t, "waiting", Imports{"fetch": AsyncFunc(nil)})
	i.returns(t, uint32(42), "await", FutureOf(uint32(41)))
	future, set := NewFuture()
	if err := set.Set(t.Context(), uint32(1)); err == nil || !strings.Contains(err.Error(), "was not passed to a component yet") {
		t.Errorf("a future that no component has: %v", err)
	}
	c := i.begin(t, "await", future)
	if _, err := c.Wait(t.Context()); !errors.Is(err, ErrBlocked) {
		t.Errorf("%v, want ErrBlocked: only the caller can go on", err)
	}
	if err := set.Set(t.Context(), "one"); err == nil || !strings.Contains(err.Error(), "expected uint32") {
		t.Errorf("a value of another type: %v", err)
	}
	if err := set.Set(t.Context(), uint32(99)); err != nil {
		t.Fatal(err)
	}
	c.gives(t, uint32(100))
	if _, err := i.Start(t.Context(), "await", future); err == nil || !strings.Contains(err.Error(), "was closed or passed to a component") {
		t.Errorf("a future is passed twice: %v", err)
	}
}

func TestACallThatNothingCanWakeIsADeadlock(t *testing.T) {
	i := started(t, "parked", nil)
	i.returns(t, nil, "park-one", uint32(2))
	j := started(t, "waiting", Imports{"fetch": AsyncFunc(nil)})
	j.returns(t, nil, "close-door")
	_, err := j.Call(t.Context(), "turn", uint32(1))
	if err == nil || err.Error() != "wasm trap: deadlock detected: event loop cannot make further progress" {
		t.Errorf("%v, want a deadlock", err)
	}
}

func TestACallThatExitsWithoutAResultTraps(t *testing.T) {
	_, err := started(t, "waiting", Imports{"fetch": AsyncFunc(nil)}).Call(t.Context(), "forget")
	if err == nil || err.Error() != "wasm trap: async-lifted export failed to produce a result" {
		t.Errorf("%v", err)
	}
}

func TestAFailureOfTheHostTrapsEachCallOfTheInstance(t *testing.T) {
	var host fetches
	i := started(t, "waiting", host.imports())
	first, second := i.begin(t, "double", uint32(1)), i.begin(t, "double", uint32(2))
	host.calls[1].Fail(errors.New("the host has no numbers"))
	if _, err := second.Wait(t.Context()); err == nil || err.Error() != "wasm trap: fetch: the host has no numbers" {
		t.Errorf("%v", err)
	}
	if _, err := first.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot enter component instance") {
		t.Errorf("a call after a trap: %v", err)
	}
	defer func() {
		if fault := recover(); fault == nil || !strings.Contains(fault.(error).Error(), "completed twice") {
			t.Errorf("%v, want the completion that came twice", fault)
		}
	}()
	host.calls[1].Return(uint32(1))
}

func TestStacksEndWithTheirInstance(t *testing.T) {
	var host fetches
	i := started(t, "waiting", host.imports())
	for range 10 {
		in, _ := NewStream()
		i.begin(t, "shout", in)
	}
	i.begin(t, "triple", uint32(1))
	stacks := i.host.stacks
	if len(stacks) != 11 {
		t.Fatalf("%d stacks, want 11 for threads that are blocked", len(stacks))
	}
	if err := i.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n, s := range stacks {
		if _, more := s.next(); more {
			t.Errorf("stack %d did not end", n)
		}
	}
	<-host.contexts[0].Done() // the context of a call of the host ends, too
	if _, err := i.Call(t.Context(), "open-door"); err == nil {
		t.Error("a closed instance is called")
	}
}

// A task that waits for its callback, and the subtask of its caller, are records. The benchmark of the same name has a million.
func TestATaskThatWaitsTakesAtMost204Bytes(t *testing.T) {
	if perTask := bytesOfATask(t, 100_000); perTask > maxTaskBytes {
		t.Errorf("a task takes %.1f bytes, more than %d", perTask, maxTaskBytes)
	}
}

// maxTaskBytes is what a task takes in the C++ ancestor of this design.
const maxTaskBytes = 204

func TestAFunctionOfTheHostCannotCloseItsInstance(t *testing.T) {
	c := compiled(t, "waiting")
	var i *Instance
	i, err := c.Instantiate(t.Context(), Imports{"fetch": AsyncFunc(func(_ context.Context, _ []any, done *Completion) {
		for name, closed := range map[string]error{"the instance": i.Close(t.Context()), "the component": c.Close(t.Context())} {
			if !errors.Is(closed, errBusy) {
				t.Errorf("%s is closed while it runs: %v", name, closed)
			}
		}
		done.Return(uint32(1))
	})})
	if err != nil {
		t.Fatal(err)
	}
	i.returns(t, uint32(3), "triple", uint32(1))
	if err := i.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// bytesOfATask gives the memory that each of n tasks takes, without that of core code.
func bytesOfATask(t testing.TB, n int) float64 {
	i := started(t, "parked", nil)
	i.returns(t, nil, "park-one", uint32(1))
	i.returns(t, nil, "park-two", uint32(1))
	before := heap()
	i.returns(t, nil, "park-one", uint32(n/2))
	i.returns(t, nil, "park-two", uint32(n-n/2))
	perTask := float64(heap()-before) / float64(n)
	if err := i.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return perTask
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestAComponentMayBeCalledByOneInIt(t *testing.T) {
	started(t, "wrapped", nil).returns(t, uint32(42), "loop", uint32(0))
	c := compiled(t, "wrapped")
	i, err := c.Instantiate(t.Context(), nil, WithTestRules())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.Call(t.Context(), "loop", uint32(0)); err == nil || err.Error() != "wasm trap: cannot enter component instance" {
		t.Errorf("by the rules of the tests: %v", err)
	}
}

func TestAThreadThatRunsIsNotResumed(t *testing.T) {
	const threadOfTheCaller = 1
	_, err := started(t, "wrapped", nil).Call(t.Context(), "loop", uint32(threadOfTheCaller))
	if err == nil || err.Error() != "wasm trap: cannot resume thread which is not suspended" {
		t.Errorf("%v", err)
	}
}

// chooser is a scheduler that is a function.
type chooser func(kind ChoiceKind, options []Option) int

func (c chooser) Choose(kind ChoiceKind, options []Option) int { return c(kind, options) }

// endedAfter calls a function with a context that ends at the hundredth choice, and gives the number of choices.
func endedAfter(t *testing.T, name string, args ...any) (choices int, i *Instance) {
	ctx, cancel := context.WithCancel(t.Context())
	counting := chooser(func(ChoiceKind, []Option) int {
		if choices++; choices == 100 {
			cancel()
		}
		return 0
	})
	i, err := compiled(t, "waiting").Instantiate(t.Context(), Imports{"fetch": AsyncFunc(nil)}, WithScheduler(counting))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.Call(ctx, name, args...); !errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v, want the end of the context", name, err)
	}
	return choices, i
}

func TestACallThatNeverWaitsLongEndsWithItsContext(t *testing.T) {
	yields, i := endedAfter(t, "turn", uint32(1<<31))
	if yields != 100 {
		t.Errorf("%d yields, want 100", yields)
	}
	i.returns(t, uint32(0), "turn", uint32(3))
}

func TestACallThatIgnoresItsCancellationIsLeftAlone(t *testing.T) {
	yields, i := endedAfter(t, "stubborn")
	// It yields when its cancellation is delivered, and each time it is resumed afterwards.
	if yields != 100+1+maxCancelSteps {
		t.Errorf("%d yields, want %d more than 101", yields, maxCancelSteps)
	}
	i.returns(t, nil, "close-door")
}

func TestASchedulerChoosesBetweenWhatTheSpecificationLeavesOpen(t *testing.T) {
	kinds := map[ChoiceKind]int{}
	last := chooser(func(kind ChoiceKind, options []Option) int {
		kinds[kind]++
		if kind == ChooseThread {
			return len(options) - 1
		}
		return 0
	})
	var host fetches
	i, err := compiled(t, "waiting").Instantiate(t.Context(), host.imports(), WithScheduler(last))
	if err != nil {
		t.Fatal(err)
	}
	i.returns(t, nil, "close-door")
	for n := range uint32(3) {
		i.begin(t, "double", n)
	}
	i.returns(t, nil, "open-door")
	if err := i.Settle(t.Context()); err != nil || !slices.Equal(host.ids, []uint32{2, 1, 0}) {
		t.Errorf("%v, calls start in the order %v, want the last one first", err, host.ids)
	}
	if kinds[ChooseThread] == 0 {
		t.Error("no choice between calls that wait to start")
	}
	bad := chooser(func(ChoiceKind, []Option) int { return 9 })
	if i, err = compiled(t, "waiting").Instantiate(t.Context(), host.imports(), WithScheduler(bad)); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Call(t.Context(), "turn", uint32(1)); err == nil || err.Error() != "wasm trap: the scheduler chose option 9 of 2" {
		t.Errorf("%v", err)
	}
}

func TestEndsThatDoNotFitAreRefused(t *testing.T) {
	i := started(t, "waiting", Imports{"fetch": AsyncFunc(nil)})
	shouted, err := i.Call(t.Context(), "shout", StreamOf(strings.NewReader("")))
	if err != nil {
		t.Fatal(err)
	}
	closed, _ := NewStream()
	_ = closed.Close()
	for want, call := range map[string]struct {
		name string
		arg  any
	}{
		"the stream was closed or passed to a component":               {"shout", closed},
		"expected the readable end of a stream or future, found nil":   {"shout", (*Stream)(nil)},
		"expected *component.Future for a value of type future, found": {"await", shouted},
		"expected *component.Stream for a value of type stream, found": {"shout", "text"},
	} {
		if _, err := i.Call(t.Context(), call.name, call.arg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", call.name, err, want)
		}
	}
	_, err = started(t, "waiting", Imports{"fetch": AsyncFunc(nil)}).Call(t.Context(), "shout", shouted)
	if err == nil || err.Error() != "wasm trap: the stream is one of another instance" {
		t.Errorf("%v", err)
	}
	i.returns(t, nil, "close-door")
}
