package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/canisterd/canisterd/internal/rehearse"
)

// rehearse rehearses the upgrade of a canister, unless it is new or runs its module already. An upgrade that fails is an
// error.
func (x *deploying) rehearse(ctx context.Context, name string) error {
	if x.ids[name] == "" || x.flags.mode == "reinstall" {
		return nil
	}
	now, err := x.get(ctx, name)
	if err != nil {
		return err
	}
	module, err := x.project.Module(name)
	if err != nil {
		return fmt.Errorf("reading the module: %w", err)
	}
	hash := sha256.Sum256(module)
	if len(now.GetModuleHash()) == 0 || bytes.Equal(hash[:], now.GetModuleHash()) {
		return nil
	}
	p := &rehearse.Plan{
		Daemon: x.daemon, Instance: x.cli.instance, Canister: x.ids[name], Module: module, Linked: linkedComponent(module),
		Features: x.project.Canisters[name].Features, Names: x.principals(),
	}
	if p.Argument, _, err = x.argument(name, module); err != nil {
		return err
	}
	if p.Sender, err = x.cli.sender(); err != nil {
		return err
	}
	verdict, err := p.Run(ctx)
	if err != nil {
		return err
	}
	if first := verdict.First(rehearse.Failed); first != "" {
		return fmt.Errorf("the rehearsal of the upgrade failed: %s; nothing was changed (canisterd rehearse %s=%s shows all checks)", first, name, x.project.Canisters[name].Wasm)
	}
	return nil
}
