package component

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Component is a valid component whose core modules are compiled.
type Component struct {
	engine wazero.Runtime
	scope  *scope
	code   map[*byte]coreCode // by the place of the core module in the component
	shared sharedCode

	mutex sync.Mutex // guards hosts
	hosts []*host    // of its instances
}

// Compile validates a component and compiles its core modules. The bytes must not change afterwards. The error of a
// component that is not valid is an [*Invalid].
func Compile(ctx context.Context, binary []byte) (*Component, error) {
	c := &Component{
		engine: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(coreFeatures)),
		code:   map[*byte]coreCode{},
	}
	scope, err := check(binary, func(module []byte) error {
		code, err := compileCore(ctx, c.engine, module)
		c.code[&module[0]] = code
		return err
	})
	if err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	c.scope = scope
	return c, nil
}

// errBusy is the error of a function of the host that closes the instance that called it.
var errBusy = errors.New("the instance cannot be closed: a call runs in it")

// Close releases the code of the component and ends all its instances. No call may run in them.
func (c *Component) Close(ctx context.Context) error {
	all := c.tracked()
	for _, h := range all {
		if h.busy {
			return errBusy
		}
	}
	for _, h := range all {
		h.endThreads()
	}
	return c.engine.Close(ctx)
}

func (c *Component) track(h *host) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.hosts = append(c.hosts, h)
}

func (c *Component) tracked() []*host {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return slices.Clone(c.hosts)
}

func (c *Component) untrack(h *host) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.hosts = slices.DeleteFunc(c.hosts, func(other *host) bool { return other == h })
}

// Func is a function that the host supplies to a component. Arguments and result are values of the types of its import.
// An error traps. A function that finishes later is an [AsyncFunc].
type Func func(ctx context.Context, args []any) (result any, err error)

// ResourceType is a resource that the host supplies. Dropped is called with the representation of each resource that a
// component drops; it may be nil.
type ResourceType struct {
	Dropped  func(ctx context.Context, representation uint32)
	instance *resourceInstance
}

// New makes a resource of the type, which is given to a component as a result or an argument.
func (t *ResourceType) New(representation uint32) *Resource {
	return &Resource{t.resource(), representation, resourceOwned}
}

func (t *ResourceType) resource() *resourceInstance {
	if t.instance == nil {
		t.instance = &resourceInstance{dropped: t.Dropped}
	}
	return t.instance
}

// Representation gives the number that stands for the resource in the component, or the host, that made it.
func (r *Resource) Representation() uint32 { return r.representation }

// Imports are what a host supplies to a component, by name: a [Func], an [AsyncFunc] for an asynchronous function, a
// [*ResourceType], or the Imports of an instance.
type Imports map[string]any

// Instance is an instance of a component. One goroutine at a time may use it.
type Instance struct {
	host  *host
	state *instanceState
}

// InstanceOption is an option of an instance.
type InstanceOption func(h *host)

// Instantiate makes an instance of the component.
func (c *Component) Instantiate(ctx context.Context, imports Imports, options ...InstanceOption) (i *Instance, err error) {
	h := &host{component: c, starts: map[*thread]func(){}, memory: memoryBudget{limit: DefaultMemoryLimit}}
	h.ctx = h.within(ctx)
	h.inbox.arrived = make(chan struct{}, 1)
	h.life, h.end = context.WithCancel(context.WithoutCancel(ctx))
	for _, option := range options {
		option(h)
	}
	c.track(h)
	defer func() {
		if err = h.memory.explain(err); err != nil {
			err = errors.Join(err, h.close(ctx))
		}
	}()
	args, err := imports.supply("", &c.scope.imports)
	if err != nil {
		return nil, err
	}
	h.busy = true
	defer func() { h.busy = false }()
	defer trapped(&err)
	return &Instance{h, h.instantiate(&componentCode{scope: c.scope}, nil, args)}, nil
}

// Close ends the instance. No call may run in it.
func (i *Instance) Close(ctx context.Context) error {
	if i.host.busy {
		return errBusy
	}
	return i.host.close(ctx)
}

func (h *host) close(ctx context.Context) (err error) {
	h.endThreads()
	h.component.untrack(h)
	for _, module := range h.modules {
		err = errors.Join(err, module.Close(ctx))
	}
	h.modules = nil
	return err
}

// supply gives the arguments for the imports of a component, or for the exports of an instance that it imports.
func (i Imports) supply(prefix string, wanted *externs) (exportedItems, error) {
	args := exportedItems{}
	for _, want := range wanted.items {
		name := prefix + want.name
		supplied, ok := i[want.name]
		if want.sort == sortType {
			if _, isResource := want.typ.(*resourceType); !isResource {
				args[want.name] = exportedItem{}
				continue
			}
		}
		if !ok {
			return nil, refusal("the component imports %s, which is not supplied", name)
		}
		item, err := supplyItem(name, want.entity, supplied)
		if err != nil {
			return nil, err
		}
		args[want.name] = item
	}
	return args, nil
}

func supplyItem(name string, want entity, supplied any) (item exportedItem, err error) {
	switch supplied := supplied.(type) {
	case Func:
		if typ, ok := want.typ.(*funcType); ok && want.sort == sortFunc {
			item.function = hostFunction(name, typ, supplied)
			return item, nil
		}
	case AsyncFunc:
		if typ, ok := want.typ.(*funcType); ok && want.sort == sortFunc && typ.async {
			item.function = asyncHostFunction(name, typ, supplied)
			return item, nil
		}
	case *ResourceType:
		if want.sort == sortType {
			item.resource = supplied.resource()
			return item, nil
		}
	case Imports:
		if typ, ok := want.typ.(*instanceType); ok && want.sort == sortInstance {
			item.instance, err = supplied.supply(name+"#", &typ.exports)
			return item, err
		}
	}
	return item, refusal("the component imports %s as a %s, and the host supplies %T", name, want.sort, supplied)
}

// Drop drops a resource that a component or the host owns: its destructor runs.
func (i *Instance) Drop(ctx context.Context, r *Resource) error {
	if r.state != resourceOwned {
		return errors.New("the resource cannot be dropped: it is not there any more, or only borrowed")
	}
	return i.host.run(ctx, func() {
		r.state = resourceGone
		r.implementation.drop(ctx, nil, r.representation)
	})
}

// Call calls a function that the component exports, with values of the types of its parameters ([Char] lists them), and
// waits for its result ([Call.Wait]). A function of an instance has the name INSTANCE#FUNCTION. The error of a call that
// traps is a [*Trap]; the instance cannot be called afterwards.
func (i *Instance) Call(ctx context.Context, name string, args ...any) (result any, err error) {
	c, err := i.Start(ctx, name, args...)
	if err != nil {
		return nil, err
	}
	return c.Wait(ctx)
}

func (i *Instance) function(name string) (*function, error) {
	exports := i.state.exports
	path := strings.Split(name, "#")
	for n, part := range path {
		item, ok := exports[part]
		switch {
		case !ok:
			return nil, refusal("the component does not export %s", name)
		case n < len(path)-1:
			exports = item.instance
		case item.function == nil:
			return nil, refusal("the export %s is not a function", name)
		default:
			return item.function, nil
		}
	}
	return nil, refusal("the component does not export %s", name)
}

// instantiateCore makes an instance of a core module.
func (h *host) instantiateCore(ctx context.Context, code wazero.CompiledModule) (api.Module, error) {
	module, err := h.component.engine.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err == nil {
		h.modules = append(h.modules, module)
	}
	return module, err
}
