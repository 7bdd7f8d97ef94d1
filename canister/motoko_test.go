package canister_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/test/canistertest"
)

// noArgument is the Candid encoding of ().
var noArgument = []byte("DIDL\x00\x00")

// nat is the Candid encoding of one small nat.
func nat(n byte) []byte { return append([]byte("DIDL\x00\x01\x7d"), n) }

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "test", "canistertest", "fixtures", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAMotokoActorCountsAndKeepsItsHeapOverAnUpgrade(t *testing.T) {
	p := canistertest.NewPlace(t)
	m := p.Module(fixture(t, "counter.wasm"))
	c := p.Canister(m, noArgument)
	for i := byte(1); i <= 3; i++ {
		out := p.Update(c, "inc", noArgument)
		if out.Failure != nil {
			t.Fatal(out.Failure)
		}
		if !bytes.Equal(out.Response.Reply, nat(i)) {
			t.Fatalf("the answer to call %d is %q", i, out.Response.Reply)
		}
	}
	out := c.Install(&p.Subnet, &canister.Install{Mode: canister.Upgrade, Module: m, Persistence: canister.Keep, Arg: noArgument, Caller: canistertest.Controller})
	if out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if out := p.Query(c, "get", noArgument); out.Failure != nil || !bytes.Equal(out.Response.Reply, nat(3)) {
		t.Errorf("after an upgrade the counter is %+v", out)
	}
	out = c.Install(&p.Subnet, &canister.Install{Mode: canister.Upgrade, Module: m, Arg: noArgument, Caller: canistertest.Controller})
	if out.Failure == nil || out.Failure.Text != "Missing upgrade option: Enhanced orthogonal persistence requires the `wasm_memory_persistence` upgrade option." {
		t.Errorf("an upgrade that says nothing about the heap: %v", out.Failure)
	}
	if out := p.Update(c, "inc", noArgument); out.Failure != nil || !bytes.Equal(out.Response.Reply, nat(4)) {
		t.Errorf("after a failed upgrade the counter is %+v", out)
	}
}

func TestAMotokoTrapNamesItsFunctionsToTheController(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Module(fixture(t, "counter.wasm")), noArgument)
	const trap = "Canister called `ic0.trap` with message: 'IDL error: missing magic bytes'"
	const trace = "\nCanister Backtrace:\nic_trap\nrts_trap\nmotoko_rts::trap_with_prefix\nmotoko_rts::idl_trap_with\nparse_idl_header\n@deserialize<N>\nadd\n"
	const help = ".\nConsider gracefully handling failures from this canister or altering the canister to handle exceptions. " +
		"See documentation: https://internetcomputer.org/docs/current/references/execution-errors#trapped-explicitly"
	before := "Error from Canister " + c.ID.String() + ": " + trap
	for caller, want := range map[principal.Principal]string{
		canistertest.Controller: before + trace + help,
		canistertest.User:       before + help,
	} {
		out := c.Execute(&p.Subnet, &canister.Message{Context: canister.Update, Method: "add", Payload: []byte("nonsense"), Caller: caller})
		if out.Failure == nil || out.Failure.Error != intercanister.CanisterCalledTrap || out.Failure.Text != want {
			t.Errorf("the reject is %v, want %s", out.Failure, want)
		}
		log := c.Logs.At(c.Logs.Len() - 1)
		if got := string(log.Content); got != "[TRAP]: IDL error: missing magic bytes"+trace {
			t.Errorf("the log says %q", got)
		}
	}
}
