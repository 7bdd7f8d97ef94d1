package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestWarmingReadsTheModuleOfAnInstallation(t *testing.T) {
	arg, err := candid.Marshal(struct {
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{principal.Canister(1), canistertest.Scriptable(), []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	engine := canistertest.NewEngine(t)
	in := &replica.Ingress{Receiver: principal.Management, Method: "install_code", Arg: arg}
	replica.Warm(t.Context(), engine, in)
	in.Arg = []byte("nonsense")
	replica.Warm(t.Context(), engine, in)
	replica.Warm(t.Context(), nil, in)
}
