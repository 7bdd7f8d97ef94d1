package component

import (
	"context"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// sharedCode is the code that instances of a component need beside its core modules. It is compiled when the first one does.
type sharedCode struct {
	mutex    sync.Mutex                       // guards the maps, and is held while their code is compiled
	links    map[string]wazero.CompiledModule // modules that only link others, by their bytes
	builtins map[*scope]wazero.CompiledModule
}

// link gives the code of a module that only links others.
func (c *Component) link(ctx context.Context, module []byte) (wazero.CompiledModule, error) {
	return compileOnce(&c.shared, &c.shared.links, string(module), func() (wazero.CompiledModule, error) {
		return c.engine.CompileModule(ctx, module)
	})
}

// builtinsOf gives the code of a module with a function for each canonical definition of a scope that defines a core function.
func (c *Component) builtinsOf(ctx context.Context, s *scope) (wazero.CompiledModule, error) {
	return compileOnce(&c.shared, &c.shared.builtins, s, func() (wazero.CompiledModule, error) {
		builder := c.engine.NewHostModuleBuilder("builtins")
		for i, place := range s.builtins {
			fn := s.coreFuncs[place]
			run := func(ctx context.Context, stack []uint64) { running(ctx).builtins[i](ctx, stack) }
			builder.NewFunctionBuilder().WithGoFunction(api.GoFunc(run), engineTypes(fn.params), engineTypes(fn.results)).Export(builtinName(i))
		}
		return builder.Compile(ctx)
	})
}

func compileOnce[K comparable](s *sharedCode, all *map[K]wazero.CompiledModule, key K, compile func() (wazero.CompiledModule, error)) (code wazero.CompiledModule, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	code, ok := (*all)[key]
	if ok {
		return code, nil
	}
	if code, err = compile(); err != nil {
		return nil, err
	}
	if *all == nil {
		*all = map[K]wazero.CompiledModule{}
	}
	(*all)[key] = code
	return code, nil
}

// hostContext is a context of core code, which knows the tree of instances that it runs in.
type hostContext struct {
	context.Context
	host *host
}

// hostKey is the key of the tree of instances in contexts that are made of a hostContext.
type hostKey struct{}

func (c *hostContext) Value(key any) any {
	if key == (hostKey{}) {
		return c.host
	}
	return c.Context.Value(key)
}

// within gives a context for core code of the tree.
func (h *host) within(ctx context.Context) context.Context { return &hostContext{ctx, h} }

// running gives the instance whose core code runs with a context. Core functions never leave the instance that made them, so
// it is also the one that made the function of the host that is called.
func running(ctx context.Context) *instanceState {
	if c, ok := ctx.(*hostContext); ok { // the context of calls: faster than its values
		return c.host.current.instance()
	}
	return ctx.Value(hostKey{}).(*host).current.instance()
}
