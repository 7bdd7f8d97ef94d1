package canisterd

import (
	"context"
	"fmt"
)

// mode says how a module is installed.
type mode uint8

const (
	install mode = iota
	reinstall
	upgrade
)

// manage calls a method of the management canister about the canister, as its first controller.
func (c *Canister) manage(ctx context.Context, method string, arg any) error {
	r, err := c.report(ctx)
	if err != nil {
		return err
	}
	if len(r.Settings.Controllers) == 0 {
		return fmt.Errorf("canister %s has no controllers: it can no longer be changed", c)
	}
	management := c.network.Management().As(r.Settings.Controllers[0])
	pending, err := management.submit(ctx, method, c.id, true, arg)
	if err != nil {
		return err
	}
	return pending.await(ctx, nil)
}
