package canisterd_test

import (
	"errors"
	"os"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioNewDeployCall makes a network, deploys a canister whose module is compiled, and calls it, as a test does;
// the floor is the deployment and the call in a fork of a network that is there.
func BenchmarkRatioNewDeployCall(b *testing.B) {
	ctx := b.Context()
	module, err := os.ReadFile(counterWasm)
	if err != nil {
		b.Fatal(err)
	}
	kept := canisterd.New(b)
	use := func(n *canisterd.Network, err error) {
		if err != nil {
			b.Fatal(err)
		}
		counter, err := n.DeployModule(ctx, module)
		if err == nil {
			err = counter.Call(ctx, "inc")
		}
		if err := errors.Join(err, n.Close()); err != nil {
			b.Fatal(err)
		}
	}
	ratio.Compare(b, 2, ratio.Each(func() { use(canisterd.Open(ctx)) }), ratio.Each(func() { use(kept.Network.Fork(ctx)) }))
}
