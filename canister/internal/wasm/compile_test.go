package wasm

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/canisterd/canisterd/internal/eventually"
)

// granted takes a turn of a queue and appends its name when it comes.
func granted(ctx context.Context, t *testing.T, q *compileQueue, instance, sender string, order *[]string) {
	ctx = WithClient(ctx, Client{instance, sender})
	go func() {
		if err := q.acquire(ctx); err == nil {
			*order = append(*order, instance+sender)
			q.release(ctx)
		}
	}()
	synctest.Wait()
}

func TestInstancesAndTheirSendersTakeTurnsToCompile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &compileQueue{}
		var order []string
		for _, sender := range []string{"1", "1", "1", "2"} {
			granted(t.Context(), t, q, "a", sender, &order)
		}
		gone, leave := context.WithCancel(t.Context())
		granted(gone, t, q, "c", "1", &order)
		granted(t.Context(), t, q, "b", "1", &order)
		leave()
		synctest.Wait()
		q.mu.Lock()
		q.free++
		q.grant()
		q.mu.Unlock()
		synctest.Wait()
		want := []string{"a1", "b1", "a2", "a1", "a1"}
		if len(order) != len(want) {
			t.Fatalf("turns were %q, want %q", order, want)
		}
		for i := range want {
			if order[i] != want[i] {
				t.Fatalf("turns were %q, want %q", order, want)
			}
		}
		if q.free != 1 || len(q.instances) != 0 {
			t.Errorf("%d slots are free and %d instances wait at the end", q.free, len(q.instances))
		}
	})
}

// blocked is an engine whose slow modules are compiled when the test lets them.
func blocked(t *testing.T) (e *Engine, began chan context.Context, let chan struct{}) {
	began, let = make(chan context.Context, 8), make(chan struct{})
	e = newTestEngine(t, Config{Fragments: FragmentsNever, CompileWorkers: 2, CacheDir: t.TempDir(), Compiler: func(ctx context.Context, dir string, binary []byte) error {
		began <- ctx
		select {
		case <-let:
			return CompileInto(ctx, dir, binary, 1)
		case <-ctx.Done():
			return ctx.Err()
		}
	}})
	return e, began, let
}

const slowModule = `(module (memory 1) (func (export "canister_update slow")))`

func TestASlowModuleDelaysNoOtherAndIsCompiledOnceForAllWhoWait(t *testing.T) {
	e, began, let := blocked(t)
	slow := *rewritten(t, slowModule)
	slow.CompileTime = slowCompileTime + 1
	first, leave := context.WithCancel(WithClient(t.Context(), Client{1, 1}))
	results := make(chan error, 2)
	wait := func(ctx context.Context) {
		_, err := e.Compile(ctx, &slow)
		results <- err
	}
	go wait(first)
	flight := <-began
	go wait(WithClient(t.Context(), Client{2, 2}))
	if _, err := e.Compile(WithClient(t.Context(), Client{2, 2}), rewritten(t, counter)); err != nil {
		t.Fatalf("a small module while a slow one is compiled: %v", err)
	}
	code := e.code(&slow)
	eventually.True(t, "both clients wait", func() bool {
		code.mu.Lock()
		defer code.mu.Unlock()
		return code.compiling.waiters == 2
	})
	leave()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("the client that went away got %v", err)
	}
	if flight.Err() != nil {
		t.Error("the compilation ended although a client waits for it")
	}
	close(let)
	if err := <-results; err != nil {
		t.Errorf("the client that waited got %v", err)
	}
	if len(began) > 0 {
		t.Error("the module was compiled twice")
	}
}

func TestACompilationEndsWhenTheLastClientGoesAway(t *testing.T) {
	e, began, _ := blocked(t)
	slow := *rewritten(t, slowModule)
	slow.CompileTime = slowCompileTime + 1
	ctx, leave := context.WithCancel(WithClient(t.Context(), Client{1, 1}))
	result := make(chan error, 1)
	go func() {
		_, err := e.Compile(ctx, &slow)
		result <- err
	}()
	flight := <-began
	leave()
	<-flight.Done()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
	e.working.Wait()
	if e.slow.free != 1 {
		t.Errorf("%d slots are free afterwards, want 1", e.slow.free)
	}
}

func TestCloseEndsACompilation(t *testing.T) {
	e, began, _ := blocked(t)
	slow := *rewritten(t, slowModule)
	slow.CompileTime = slowCompileTime + 1
	result := make(chan error, 1)
	go func() {
		_, err := e.Compile(t.Context(), &slow)
		result <- err
	}()
	<-began
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
}

func BenchmarkCompileThroughAFolder(b *testing.B) {
	m := rewritten(b, counter)
	for b.Loop() {
		if err := CompileInto(b.Context(), b.TempDir(), m.Binary, 2); err != nil {
			b.Fatal(err)
		}
	}
}
