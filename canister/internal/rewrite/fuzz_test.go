package rewrite

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// FuzzRewrite feeds mutated modules: no panic, and whatever the pass accepts the engine compiles.
func FuzzRewrite(f *testing.F) {
	f.Add(assemble(f, sample), uint16(0), byte(0))
	f.Add(assemble(f, accessModule()), uint16(100), byte(3))
	f.Add(compressed(f, assemble(f, sample)), uint16(9), byte(1))
	f.Add([]byte("\x00asm\x01\x00\x00\x00"), uint16(0), byte(0))
	for seed := range uint64(8) {
		f.Add(assemble(f, generate(seed)), uint16(seed*31), byte(seed))
	}
	for _, k := range kernels {
		f.Add(assemble(f, kernelModule(k.text, "i64")), uint16(77), byte(0x20))
	}
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall
	// The interpreter's compilation validates all the same and is quicker.
	rt := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features))
	f.Cleanup(func() { rt.Close(context.Background()) })
	f.Fuzz(func(t *testing.T, upload []byte, at uint16, with byte) {
		mutated := slices.Clone(upload)
		if len(mutated) > 0 && with != 0 {
			mutated[int(at)%len(mutated)] ^= with
		}
		for _, o := range []Options{conformance, canisterOptions} {
			m, err := Rewrite(mutated, o)
			if err != nil {
				if bad := (*Invalid)(nil); !errors.As(err, &bad) {
					t.Fatalf("not a validation failure: %v", err)
				}
				continue
			}
			compiled, err := rt.CompileModule(context.Background(), m.Binary)
			if err != nil {
				t.Fatalf("accepted, but the engine says: %v", err)
			}
			compiled.Close(context.Background())
		}
	})
}

// TestFlippedBytesNeverGetPastTheEngine is the fuzz target's short form for every run: each byte of the sample is
// changed in a few ways.
func TestFlippedBytesNeverGetPastTheEngine(t *testing.T) {
	t.Parallel()
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall
	rt := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features))
	defer rt.Close(context.Background())
	accepted := 0
	for _, text := range []string{sample, kernelModule(kernels[4].text, "i64"), generate(5)} {
		raw := assemble(t, text)
		for i := range raw {
			for _, with := range []byte{1, 0x40, 0x7f, 0x80, 0xff} {
				mutated := slices.Clone(raw)
				mutated[i] ^= with
				m, err := Rewrite(mutated, conformance)
				if err != nil {
					continue
				}
				accepted++
				compiled, err := rt.CompileModule(context.Background(), m.Binary)
				if err != nil {
					t.Errorf("byte %d with %#x: accepted, but the engine says: %v", i, with, err)
					continue
				}
				compiled.Close(context.Background())
			}
		}
	}
	if accepted < 100 {
		t.Errorf("only %d accepted", accepted)
	}
}
