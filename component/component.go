package component

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// coreFeatures are the features of core modules that components may use.
const coreFeatures = api.CoreFeaturesV2 | experimental.CoreFeaturesThreads | experimental.CoreFeaturesTailCall |
	experimental.CoreFeaturesExtendedConst | experimental.CoreFeaturesExceptionHandling

// Validate checks that bytes are a valid component in the binary format. Its error is an [*Invalid].
func Validate(ctx context.Context, binary []byte) (err error) {
	engine := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(coreFeatures))
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	_, err = check(binary, func(module []byte) error {
		_, err := compileCore(ctx, engine, module)
		return err
	})
	return err
}

// coreCode is a compiled core module, with the modules of its memories but the first ([engineModule]).
type coreCode struct {
	main     corePart
	memories []memoryCode
}

// corePart is a compiled module of the engine.
type corePart struct {
	compiled wazero.CompiledModule
	costs    footprint
}

type memoryCode struct {
	memoryModule
	corePart
}

func compileCore(ctx context.Context, engine wazero.Runtime, module []byte) (c coreCode, err error) {
	parts, err := split(module)
	if err != nil {
		return c, err
	}
	if c.main, err = compilePart(ctx, engine, parts.code); err != nil {
		return c, fmt.Errorf("the engine refuses it: %w", err)
	}
	for _, m := range parts.memories {
		part, err := compilePart(ctx, engine, m.code)
		if err != nil {
			return c, fmt.Errorf("the engine refuses a memory of it: %w", err)
		}
		c.memories = append(c.memories, memoryCode{m, part})
	}
	return c, nil
}

func compilePart(ctx context.Context, engine wazero.Runtime, module []byte) (p corePart, err error) {
	p.compiled, err = engine.CompileModule(ctx, module)
	if err == nil {
		p.costs = measureCore(module)
	}
	return p, err
}

// split gives the reason of a fault without an offset: the caller has the one of the module.
func split(module []byte) (parts engineModule, err error) {
	defer func() {
		if fault, ok := err.(*Invalid); ok {
			err = errors.New(fault.Reason)
		}
	}()
	defer caught(&err)
	return forEngine(module), nil
}

// check reads and validates a component. checkCode validates the code of a core module.
func check(binary []byte, checkCode func(module []byte) error) (*scope, error) {
	component, err := read(binary)
	if err != nil {
		return nil, err
	}
	return validate(binary, component, checkCode)
}
