package replica

import (
	"context"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
)

// warmedMethod is the method whose messages bring a module whole, so that it can be
// prepared before they enter the network.
const warmedMethod = "install_code"

// BringsModule reports whether a message installs a module that it brings whole.
func BringsModule(in *Ingress) bool {
	return in.Receiver == principal.Management && in.Method == warmedMethod
}

// Warm prepares the module an install_code message brings, so that the engine
// has it when the message is executed: compiling takes long and needs nothing
// of the network. It may be called on any goroutine, for any message; what it
// cannot read it leaves to the management canister to reject. The error says why the
// module was not compiled where that is not its own fault.
func Warm(ctx context.Context, engine *canister.Engine, in *Ingress) error {
	if engine == nil || !BringsModule(in) {
		return nil
	}
	module, ok := broughtModule(in)
	if !ok {
		return nil
	}
	return engine.Warm(ctx, module)
}

// broughtModule is the module in the argument of install_code; false if the argument
// cannot be read.
func broughtModule(in *Ingress) ([]byte, bool) {
	var arg struct {
		Module []byte `ic:"wasm_module"`
	}
	err := candid.Unmarshal(in.Arg, &arg)
	return arg.Module, err == nil
}
