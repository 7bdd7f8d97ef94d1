package replica

import (
	"context"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/management"
)

// BringsModule reports whether a message contains a whole module to install, so that it can be prepared before the
// message enters the network.
func BringsModule(in *Ingress) bool {
	return in.Receiver == principal.Management && management.BringsModule(in.Method)
}

// Warm prepares the module of a message (BringsModule), so that the engine has it when the message is executed:
// compiling is slow and does not need the network. Any goroutine may call it, for any message; if it cannot read a
// message, the management canister will reject it. The error says why the module was not compiled, unless the module
// itself is invalid.
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
