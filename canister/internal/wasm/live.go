package wasm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// live is what a guest has while it is not asleep: an instance and a heap.
type live struct {
	guest        *Guest
	code         *Code
	instance     api.Module
	heap         heap
	counter      api.MutableGlobal
	globals      []globalCell
	functions    [maxFunctions]function
	next         int      // function to forget next
	segments     [][]byte // passive data segments, emptied by data.drop
	segmentsWere [][]byte
	context      callContext
	stack        [2]uint64
}

// function is a function object of an instance, by export name; "" is the closure trampoline.
type function struct {
	name  string
	call  api.Function
	stack *[]byte
}

// callContext carries the guest to host functions. It is a context without values, deadline or cancellation: looking those up would
// cost more than a host call.
type callContext struct {
	context.Context
	guest *Guest
}

func (*callContext) Value(any) any         { return nil }
func (*callContext) Done() <-chan struct{} { return nil }
func (*callContext) Err() error            { return nil }

// newLive instantiates the code over a heap and takes it over, also on error.
func newLive(g *Guest, code *Code, h heap) (l *live, err error) {
	l = &live{guest: g, code: code, heap: h}
	l.context = callContext{Context: context.Background(), guest: g}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	compiled, err := code.acquire()
	if err != nil {
		l.code = nil
		return l, err
	}
	if err := l.instantiate(compiled); err != nil {
		return l, err
	}
	counter, ok := l.instance.ExportedGlobal(rewrite.CounterGlobal).(api.MutableGlobal)
	if !ok {
		return l, fmt.Errorf("module exports no %q", rewrite.CounterGlobal)
	}
	l.counter = counter
	l.segments = segmentsOf(l.instance)
	l.segmentsWere = slices.Clone(l.segments)
	l.globals, err = code.layout.cells(l.instance)
	return l, err
}

func (l *live) instantiate(compiled wazero.CompiledModule) (err error) {
	ctx := experimental.WithMemoryAllocator(context.Background(), l)
	l.instance, err = l.guest.engine.runtime.InstantiateModule(ctx, compiled, l.guest.engine.instances)
	if err != nil {
		return fmt.Errorf("instantiate module: %w", err)
	}
	return nil
}

// Allocate implements experimental.MemoryAllocator: the heap is there already.
func (l *live) Allocate(_, _ uint64) experimental.LinearMemory { return (*linearMemory)(l) }

// linearMemory is the heap as the engine sees it.
type linearMemory live

// Reallocate returns nil when the heap cannot grow: memory.grow is -1 then.
func (m *linearMemory) Reallocate(size uint64) []byte {
	h := m.heap
	if uint64(len(h.bytes())) < size {
		if err := h.grow(int64(size)); errors.Is(err, errTorn) {
			m.guest.End(err)
		} else if err != nil {
			return nil
		}
	}
	return h.bytes()
}

// Free does nothing: the heap outlives the instance.
func (m *linearMemory) Free() {}

func (l *live) close() error {
	var err error
	if l.instance != nil {
		err = l.instance.Close(context.Background())
		l.instance = nil
	}
	if l.code != nil {
		l.code.release()
		l.code = nil
	}
	if l.heap != nil {
		err = errors.Join(err, l.heap.free())
		l.heap = nil
	}
	return err
}

// find returns the function object of an export, nil if there is no such function.
func (l *live) find(name string) *function {
	for i := range l.functions {
		if f := &l.functions[i]; f.name == name && f.call != nil {
			return f
		}
	}
	export := name
	if name == "" {
		export = rewrite.CallClosure
	}
	call := l.instance.ExportedFunction(export)
	if call == nil {
		return nil
	}
	f := &l.functions[l.next]
	l.next = (l.next + 1) % maxFunctions
	*f = function{name: name, call: call, stack: stackOf(call)}
	return f
}

// forget drops a function object, and its stack with it.
func (f *function) forget() { *f = function{} }

// segmentsOf finds the data segments of an instance. The engine does not show them, and a replica starts every message with all of
// them, whatever an earlier one dropped.
func segmentsOf(instance api.Module) [][]byte {
	v := reflect.ValueOf(instance)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := v.Elem().FieldByName("DataInstances")
	if !field.IsValid() || !field.CanInterface() {
		return nil
	}
	segments, _ := field.Interface().([][]byte)
	return segments
}

// restoreSegments undoes every data.drop.
func (l *live) restoreSegments() {
	for i, s := range l.segmentsWere {
		if len(l.segments[i]) != len(s) {
			l.segments[i] = s
		}
	}
}
