package replica

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/management"
)

// BringsModule reports whether a message installs a module that it brings whole, so that it
// can be prepared before the message enters the network.
func BringsModule(in *Ingress) bool {
	return in.Receiver == principal.Management && management.BringsModule(in.Method)
}

// Warm prepares the module a message brings (BringsModule), so that the engine
// has it when the message is executed: compiling takes long and needs nothing
// of the network. It may be called on any goroutine, for any message; what it
// cannot read it leaves to the management canister to reject. The error says why the
// module was not compiled where that is not its own fault.
func Warm(ctx context.Context, engine *canister.Engine, in *Ingress) error {
	if engine == nil || !BringsModule(in) {
		return nil
	}
	module, ok := management.ModuleOf(in.Method, in.Arg)
	if !ok {
		return nil
	}
	return engine.Warm(ctx, module)
}
