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

// resident is what a guest has while it is resident: an instance and a heap.
type resident struct {
	guest        *Guest
	code         *Code
	instance     api.Module         // without functions if there are fragments
	fragments    *fragments         // nil if the instance is of the compiled module
	loaded       map[int]api.Module // instances of fragments, by index
	heap         heap
	counter      api.MutableGlobal
	globals      []globalCell
	ran          ran
	functions    [maxFunctions]function
	next         int       // function to replace next
	running      *function // during a message: the called function, one of functions
	segments     [][]byte  // passive data segments, emptied by data.drop
	segmentsWere [][]byte
	patches      patches // if it waits in a pool: what its heap has in addition to the layers
	changed      []span  // if it waits in a pool: memory for the next guest
	differing    []int64 // scratch of adopt
	context      callContext
	stack        [2]uint64
}

// function is a function object of an instance, by export name; "" is the closure trampoline.
type function struct {
	name  string
	call  api.Function
	stack *[]byte
}

// callContext carries the guest to host functions. It is a context without values, deadline or cancellation, because
// looking those up would cost more than a host call.
type callContext struct {
	context.Context
	guest *Guest
}

func (*callContext) Value(any) any         { return nil }
func (*callContext) Done() <-chan struct{} { return nil }
func (*callContext) Err() error            { return nil }

// newResident instantiates the code over a heap. It takes ownership of the heap, even on error.
func newResident(g *Guest, code *Code, h heap) (r *resident, err error) {
	r = &resident{guest: g, code: code, heap: h}
	r.context = callContext{Context: context.Background(), guest: g}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	return r, r.load()
}

// load makes the instance over the heap.
func (r *resident) load() error {
	code := r.code
	compiled, cut, err := code.acquire()
	if err != nil {
		r.code = nil
		return err
	}
	if r.fragments = cut; cut != nil {
		err = r.instantiateBase()
	} else {
		err = r.instantiate(&r.guest.engine.whole, compiled)
	}
	if err != nil {
		return err
	}
	counter, ok := r.instance.ExportedGlobal(rewrite.CounterGlobal).(api.MutableGlobal)
	if !ok {
		return fmt.Errorf("module exports no %q", rewrite.CounterGlobal)
	}
	r.counter = counter
	r.segments = segmentsOf(r.instance)
	r.segmentsWere = slices.Clone(r.segments)
	if r.globals, err = code.layout.cells(r.instance); err != nil {
		return err
	}
	return r.loadRan()
}

func (r *resident) instantiate(on *linkedRuntime, compiled wazero.CompiledModule) (err error) {
	ctx := experimental.WithMemoryAllocator(context.Background(), r)
	r.instance, err = on.runtime.InstantiateModule(ctx, compiled, r.guest.engine.instances)
	if err != nil {
		return fmt.Errorf("instantiate module: %w", err)
	}
	return nil
}

// Allocate implements experimental.MemoryAllocator: the heap already exists.
func (r *resident) Allocate(_, _ uint64) experimental.LinearMemory { return (*linearMemory)(r) }

// linearMemory is the heap as the engine sees it.
type linearMemory resident

// Reallocate returns nil if the heap cannot grow: memory.grow then returns -1.
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

func (r *resident) close() error {
	err := r.closeFragments()
	if r.instance != nil {
		err = errors.Join(err, r.instance.Close(context.Background()))
		r.instance = nil
	}
	if r.code != nil {
		r.code.release(r.fragments)
		r.code = nil
	}
	if r.heap != nil {
		err = errors.Join(err, r.heap.free())
		r.heap = nil
	}
	return err
}

// find returns the function object of an export, nil if it does not exist.
func (r *resident) find(name string) *function {
	for i := range r.functions {
		if f := &r.functions[i]; f.name == name && f.call != nil {
			return f
		}
	}
	export := name
	if name == "" {
		export = rewrite.CallClosure
	}
	call := r.exportedFunction(export)
	if call == nil {
		return nil
	}
	f := &r.functions[r.next]
	r.next = (r.next + 1) % maxFunctions
	*f = function{name: name, call: call, stack: stackOf(call)}
	return f
}

// forget drops a function object and its stack.
func (f *function) forget() { *f = function{} }

// forgetIdle drops the function objects that no message runs.
func (r *resident) forgetIdle() {
	for i := range r.functions {
		if f := &r.functions[i]; f != r.running {
			f.forget()
		}
	}
}

// segmentsOf returns the data segments of an instance. The engine does not expose them, and a replica starts every
// message with all of them, even if an earlier message dropped some.
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
func (r *resident) restoreSegments() {
	for i, s := range r.segmentsWere {
		if len(r.segments[i]) != len(s) {
			r.segments[i] = s
		}
	}
}
