package rewrite_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/test/canistertest/wast"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// spectest is the host module every script may import (test suite,
// "interpreter/README.md"); its 64-bit table is lowered like everyone's.
const spectest = `(module
  (global (export "global_i32") i32 (i32.const 666))
  (global (export "global_i64") i64 (i64.const 666))
  (global (export "global_f32") f32 (f32.const 666.6))
  (global (export "global_f64") f64 (f64.const 666.6))
  (table (export "table") 10 20 funcref)
  (table (export "table64") 10 20 funcref)
  (memory (export "memory") 1 2)
  (func (export "print"))
  (func (export "print_i32") (param i32))
  (func (export "print_i64") (param i64))
  (func (export "print_f32") (param f32))
  (func (export "print_f64") (param f64))
  (func (export "print_i32_f32") (param i32 f32))
  (func (export "print_f64_f64") (param f64 f64)))`

// Instructions the host grants at a time, and how often in one command: a
// rewritten module that never ends fails its command instead of hanging the test.
const (
	grant     = 100_000_000
	maxGrants = 100
)

// stage is one script's world: its instances, by the names the script gives.
type stage struct {
	ctx         context.Context
	runtime     wazero.Runtime
	instances   map[string]*instance // "" is the latest
	definitions map[string][]byte    // prepared binaries; "" is the latest
	registered  map[string]*instance
	made        []api.Module
	cut         bool // the next instance is of a module some fields were cut out of
	missing     bool // the latest instantiation imports from a module that could not be made
	grants      int
}

// instance has no module if making it failed.
type instance struct {
	module    api.Module
	cut       bool // some of its exports may be missing
	functions map[string]api.Function
}

var errAbsent = errors.New("the module this stands on could not be made")

func isAbsent(err error) bool { return errors.Is(err, errAbsent) }

func newStage(ctx context.Context, t *testing.T) *stage {
	config := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall)
	s := &stage{
		runtime:     wazero.NewRuntimeWithConfig(ctx, config),
		instances:   map[string]*instance{},
		definitions: map[string][]byte{},
		registered:  map[string]*instance{},
	}
	s.ctx = experimental.WithImportResolver(ctx, func(name string) api.Module {
		i := s.registered[name]
		if i == nil {
			return nil
		}
		if i.module == nil {
			s.missing = true
			return nil
		}
		return i.module
	})
	_, err := s.runtime.NewHostModuleBuilder(rewrite.ModuleName).
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(s.outOfInstructions), nil, nil).Export("out_of_instructions").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(growCheck), []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, []api.ValueType{api.ValueTypeI32}).Export("grow_check").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(bulkCheck), []api.ValueType{api.ValueTypeI32}, nil).Export(rewrite.BulkCheck).
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(hugeCharge), []api.ValueType{api.ValueTypeI64}, nil).Export(rewrite.HugeCharge).
		Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	module, err := s.instantiate(wat.MustAssemble(spectest))
	if err != nil {
		t.Fatal(err)
	}
	s.registered["spectest"] = module
	return s
}

func (s *stage) close() { s.runtime.Close(s.ctx) }

// outOfInstructions forgets the debt, however large: a memory.fill of 2^64-1
// bytes is charged for before it is found too long.
func (s *stage) outOfInstructions(_ context.Context, module api.Module, _ []uint64) {
	counter := module.ExportedGlobal(rewrite.CounterGlobal).(api.MutableGlobal)
	if rewrite.StackFull(counter.Get()) {
		panic(errors.New("stack overflow"))
	}
	if s.grants++; s.grants > maxGrants {
		panic(errors.New("the instruction limit of a suite command is reached"))
	}
	// A large size leaves far less than zero; the contract asks for zero or more.
	counter.Set(rewrite.SetInstructions(counter.Get(), max(rewrite.Instructions(counter.Get())+grant, grant)))
}

// emptyStacks gives every instance its whole call stack: what a command calls may be of any of them.
func (s *stage) emptyStacks() {
	for _, i := range s.made {
		if counter, ok := i.ExportedGlobal(rewrite.CounterGlobal).(api.MutableGlobal); ok {
			counter.Set(rewrite.NewCounter(rewrite.Instructions(counter.Get())))
		}
	}
}

// growCheck lets every memory.grow be what the engine says.
func growCheck(context.Context, api.Module, []uint64) {}

// perform does one command; nil means it went as the script says.
func (s *stage) perform(c wast.Command) error {
	s.grants = 0
	s.emptyStacks()
	switch c.Kind {
	case wast.Define:
		return s.define(c)
	case wast.Instance:
		i, err := s.instantiate(s.definitions[c.Source])
		s.remember(c.Name, i)
		return err
	case wast.Register:
		s.registered[c.As] = s.instances[c.Name]
		return nil
	case wast.Act:
		_, err := s.act(c.Action)
		return err
	case wast.AssertReturn:
		return s.assertReturn(c)
	case wast.AssertTrap, wast.AssertExhaustion, wast.AssertException:
		return s.assertTrap(c)
	case wast.AssertMalformed, wast.AssertInvalid:
		return assertRefused(c)
	case wast.AssertUnlinkable:
		return s.assertUnlinkable(c)
	}
	return fmt.Errorf("no such command: %s", c.Kind)
}

func (s *stage) define(c wast.Command) error {
	prepared, err := encodeAndPrepare(c.Module)
	if c.Module.Definition {
		s.definitions[c.Name], s.definitions[""] = prepared, prepared
		return err
	}
	i := &instance{}
	if err == nil {
		i, err = s.instantiate(prepared)
	}
	s.remember(c.Name, i)
	return err
}

func (s *stage) remember(name string, i *instance) {
	s.instances[name], s.instances[""] = i, i
}

func encodeAndPrepare(m *wast.Module) ([]byte, error) {
	binary, err := m.Encode()
	if err != nil {
		return nil, fmt.Errorf("assemble: %w", err)
	}
	return prepare(binary)
}

// instantiate always gives an instance, an empty one with an error.
func (s *stage) instantiate(binary []byte) (*instance, error) {
	i := &instance{functions: map[string]api.Function{}, cut: s.cut}
	s.cut = false
	if binary == nil {
		return i, errAbsent
	}
	compiled, err := s.runtime.CompileModule(s.ctx, binary)
	if err != nil {
		return i, fmt.Errorf("compile: %w", err)
	}
	s.missing = false
	module, err := s.runtime.InstantiateModule(s.ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if s.missing {
		return i, errAbsent
	}
	if err != nil {
		return i, fmt.Errorf("instantiate: %w", err)
	}
	i.module = module
	s.made = append(s.made, module)
	return i, nil
}

func (s *stage) act(a *wast.Action) ([]uint64, error) {
	i := s.instances[a.Instance]
	if i == nil || i.module == nil {
		return nil, errAbsent
	}
	if a.Get {
		global := i.module.ExportedGlobal(a.Export)
		if global == nil {
			return nil, fmt.Errorf("no exported global %q", a.Export)
		}
		return []uint64{global.Get()}, nil
	}
	function := i.functions[a.Export]
	if function == nil {
		if function = i.module.ExportedFunction(a.Export); function == nil {
			if i.cut {
				return nil, errAbsent
			}
			return nil, fmt.Errorf("no exported function %q", a.Export)
		}
		i.functions[a.Export] = function
	}
	var args []uint64
	for _, v := range a.Args {
		args = appendValue(args, v)
	}
	return function.Call(s.ctx, args...)
}

// bulkCheck lets every bulk operation go on.
func bulkCheck(context.Context, api.Module, []uint64) {}

// hugeCharge lets an operator go on whose size is more than any limit: the suite wants its trap.
func hugeCharge(context.Context, api.Module, []uint64) {}
