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
		content, _ := forEngine(module)
		compiled, err := engine.CompileModule(ctx, content)
		if err != nil {
			return fmt.Errorf("the engine refuses it: %w", err)
		}
		return compiled.Close(ctx)
	})
	return err
}

// check reads and validates a component. checkCode validates the code of a core module.
func check(binary []byte, checkCode func(module []byte) error) (*scope, error) {
	component, err := read(binary)
	if err != nil {
		return nil, err
	}
	return validate(binary, component, checkCode)
}
