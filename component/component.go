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
	main     wazero.CompiledModule
	memories []memoryCode
}

type memoryCode struct {
	memoryModule
	compiled wazero.CompiledModule
}

func compileCore(ctx context.Context, engine wazero.Runtime, module []byte) (c coreCode, err error) {
	parts, err := split(module)
	if err != nil {
		return c, err
	}
	if c.main, err = engine.CompileModule(ctx, parts.code); err != nil {
		return c, fmt.Errorf("the engine refuses it: %w", err)
	}
	for _, m := range parts.memories {
		compiled, err := engine.CompileModule(ctx, m.code)
		if err != nil {
			return c, fmt.Errorf("the engine refuses a memory of it: %w", err)
		}
		c.memories = append(c.memories, memoryCode{m, compiled})
	}
	return c, nil
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
