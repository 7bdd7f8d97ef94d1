package project

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// maxModuleBytes is how large a module is at most that is looked into before it is sent. The daemon has a limit of its
// own.
const maxModuleBytes = 1 << 30

// placeholder stands for ids that are not known before canisters are created.
const placeholder = "rwlgt-iiaaa-aaaaa-aaaaa-cai"

// Check looks into what the project names for some canisters, all without names: modules, arguments and controllers. The
// principals are of canisters that are there, and of identities.
func (p *Project) Check(only []string, principals map[string]string) error {
	all := maps.Clone(principals)
	if all == nil {
		all = map[string]string{}
	}
	for name := range p.Canisters {
		if all[name] == "" {
			all[name] = placeholder
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Canisters)) {
		if err := p.checkNames(name, all); err != nil {
			return fmt.Errorf("canister %s: %w", name, err)
		}
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		if err := p.checkFiles(name, all); err != nil {
			return fmt.Errorf("canister %s: %w", name, err)
		}
	}
	return nil
}

// checkNames returns an error for a name in the settings and arguments of a canister that stands for no principal.
func (p *Project) checkNames(name string, principals map[string]string) error {
	if _, err := p.Given(name, principals); err != nil {
		return err
	}
	_, err := p.Canisters[name].Argument(name, principals)
	return err
}

// checkFiles looks into the module and the arguments of a canister, or the file of its stand-in.
func (p *Project) checkFiles(name string, principals map[string]string) error {
	spec := p.Canisters[name]
	if spec.Clone != nil {
		_, err := p.StandIn(name)
		return err
	}
	module, err := p.Module(name)
	if err != nil {
		return fmt.Errorf("reading its module: %w", err)
	}
	if err := checkHeader(module, spec.Features); err != nil {
		return fmt.Errorf("%s %w", p.Path(spec.Wasm), err)
	}
	if err := spec.checkFrontend(p); err != nil {
		return err
	}
	argument, err := spec.Argument(name, principals)
	if err != nil {
		return err
	}
	if _, err := p.EncodeInit(name, argument, module); err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	return nil
}

// moduleHeader and componentHeader begin the two kinds of WebAssembly files.
var (
	moduleHeader    = []byte("\x00asm\x01\x00\x00\x00")
	componentHeader = []byte("\x00asm\x0d\x00\x01\x00")
)

// featureComponents is the feature of canisters that may have a component in place of a module.
const featureComponents = "components"

// checkHeader says what is wrong with the first bytes of a module for a canister with these features; compilers check the rest.
func checkHeader(module []byte, features []string) error {
	if bytes.HasPrefix(module, []byte{0x1f, 0x8b}) {
		r, err := gzip.NewReader(bytes.NewReader(module))
		if err == nil {
			module, err = io.ReadAll(io.LimitReader(r, maxModuleBytes))
		}
		if err != nil {
			return fmt.Errorf("is a damaged gzip file: %w", err)
		}
	}
	switch {
	case bytes.HasPrefix(module, moduleHeader):
		return nil
	case !bytes.HasPrefix(module, componentHeader):
		return fmt.Errorf("is not a Wasm module: it begins with %.16q", module[:min(len(module), 16)])
	case !slices.Contains(features, featureComponents):
		return errors.New("is a component, which the Internet Computer does not run: set features: [components], or link it into a module with canisterd component link")
	}
	return nil
}
