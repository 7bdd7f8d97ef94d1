package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/did"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// maxModuleBytes is how large a module is at most that is looked into before it is sent. The daemon has a limit of its
// own.
const maxModuleBytes = 1 << 30

// placeholder stands for ids that are not known before canisters are created.
const placeholder = "rwlgt-iiaaa-aaaaa-aaaaa-cai"

// validate looks into all that the project names before anything is created: modules, arguments, controllers and
// subnets.
func (x *deploying) validate(ctx context.Context) error {
	ids := names{}
	for name := range x.project.Canisters {
		if ids[name] = x.ids[name]; ids[name] == "" {
			ids[name] = placeholder
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.project.Canisters)) {
		if len(x.flags.only) > 0 && !slices.Contains(x.flags.only, name) {
			continue
		}
		spec := x.project.Canisters[name]
		module, err := os.ReadFile(x.project.file(spec.Wasm))
		if err != nil {
			return fmt.Errorf("canister %s: reading its module: %w", name, err)
		}
		if err := checkModule(module); err != nil {
			return fmt.Errorf("canister %s: %s %w", name, x.project.file(spec.Wasm), err)
		}
		argument, err := spec.argument(name, ids)
		if err != nil {
			return fmt.Errorf("canister %s: %w", name, err)
		}
		if err := checkArgument(argument, module); err != nil {
			return fmt.Errorf("canister %s: its arguments are not what its module takes: %w", name, err)
		}
		for _, controller := range spec.Controllers {
			if x.project.Canisters[controller] == nil && !isPrincipal(controller) {
				return fmt.Errorf("canister %s: controllers: %q is neither a canister of the project nor a principal%s", name, controller, mistyped(controller))
			}
		}
		if _, err := x.cli.subnetOf(ctx, x.daemon, spec.Subnet); err != nil {
			return fmt.Errorf("canister %s: subnet: %w", name, err)
		}
	}
	return nil
}

// wasmMagic begins modules.
var wasmMagic = []byte("\x00asm\x01\x00\x00\x00")

// checkModule says what is wrong with the bytes of a module as far as that is seen at once; compilers say the rest.
func checkModule(module []byte) error {
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

// checkArgument says what is wrong with arguments by the types that a module says.
func checkArgument(v *controlv1.Value, module []byte) error {
	file, err := did.FromModule(module, maxModuleBytes)
	_, json := v.GetForm().(*controlv1.Value_Json)
	switch {
	case errors.Is(err, did.ErrNoInterface) && !json:
		return nil
	case err != nil:
		return err
	}
	args, typed := file.Init()
	if !typed {
		return nil // the daemon takes text as it is
	}
	switch form := v.GetForm().(type) {
	case *controlv1.Value_Json:
		_, err = file.InitFromJSON([]byte(form.Json))
	case *controlv1.Value_Text:
		_, err = file.EncodeInit(form.Text)
	}
	if err != nil {
		return fmt.Errorf("%s; it takes %s", strings.TrimSpace(err.Error()), did.FormatTypes(args))
	}
	return nil
}
