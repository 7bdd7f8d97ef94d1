package project

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/daemon/spelling"
)

// maxModuleBytes is how large a module is at most that is looked into before it is sent. The daemon has a limit of its
// own.
const maxModuleBytes = 1 << 30

// placeholder stands for ids that are not known before canisters are created.
const placeholder = "rwlgt-iiaaa-aaaaa-aaaaa-cai"

// Check looks into what the project names for some canisters, all without names: modules, arguments and controllers. The
// ids are of canisters that are there.
func (p *Project) Check(only []string, ids map[string]string) error {
	all := map[string]string{}
	for name := range p.Canisters {
		if all[name] = ids[name]; all[name] == "" {
			all[name] = placeholder
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Canisters)) {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		if err := p.checkFiles(name, all); err != nil {
			return fmt.Errorf("canister %s: %w", name, err)
		}
	}
	return nil
}

// checkFiles looks into the module and the arguments of a canister.
func (p *Project) checkFiles(name string, ids map[string]string) error {
	spec := p.Canisters[name]
	module, err := p.Module(name)
	if err != nil {
		return fmt.Errorf("reading its module: %w", err)
	}
	if err := CheckModule(module); err != nil {
		return fmt.Errorf("%s %w", p.Path(spec.Wasm), err)
	}
	argument, err := spec.Argument(name, ids)
	if err != nil {
		return err
	}
	if _, err := argument.Encode(module); err != nil {
		return fmt.Errorf("its arguments are not what its module takes: %w", err)
	}
	for _, controller := range spec.Controllers {
		if p.Canisters[controller] == nil && !spelling.IsPrincipal(controller) {
			return fmt.Errorf("controllers: %q is neither a canister of the project nor a principal%s", controller, spelling.WhyNoPrincipal(controller))
		}
	}
	return nil
}

// wasmMagic begins modules.
var wasmMagic = []byte("\x00asm\x01\x00\x00\x00")

// CheckModule says what is wrong with the bytes of a module as far as that is seen at once; compilers say the rest.
func CheckModule(module []byte) error {
	if bytes.HasPrefix(module, []byte{0x1f, 0x8b}) {
		r, err := gzip.NewReader(bytes.NewReader(module))
		if err == nil {
			module, err = io.ReadAll(io.LimitReader(r, maxModuleBytes))
		}
		if err != nil {
			return fmt.Errorf("is packed by gzip and damaged: %w", err)
		}
	}
	if !bytes.HasPrefix(module, wasmMagic) {
		return fmt.Errorf("is not a Wasm module: it begins with %.16q", module[:min(len(module), 16)])
	}
	return nil
}
