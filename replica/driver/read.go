package driver

import (
	"context"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
)

// Read runs a function that owns the network during the call and only reads it: it does not wake waiters (Until). What
// the function reads is valid until it returns. Rules, held messages and timers are changed by inputs (Apply); Read is
// for what is in flight. If ctx ends before the function begins, it may run later or never.
func (d *Driver) Read(ctx context.Context, read func(*replica.Network)) error {
	return d.askReadOnly(ctx, func(d *Driver) { read(d.network) })
}

// ReadValue is Read for a function with a result.
func ReadValue[T any](ctx context.Context, d *Driver, read func(*replica.Network) T) (T, error) {
	return resultOf(ctx, d.Read, read)
}

// AwaitHeld returns the first message that a rule holds, or any rule if rule is 0; it waits until there is one. It runs
// no rounds: the pacing of the driver does.
func (d *Driver) AwaitHeld(ctx context.Context, rule uint64) (introspect.HeldMessage, error) {
	return Await(ctx, d, func(n *replica.Network) (first introspect.HeldMessage, ok bool) {
		all := n.Introspect().Held(rule, 0, 1)
		if len(all) == 0 {
			return first, false
		}
		return all[0], true
	})
}
