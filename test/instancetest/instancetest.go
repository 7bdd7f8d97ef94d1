package instancetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// answering is a canister with a heap, a timer and a query.
const answering = `(module
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "global_timer_set" (func $timer (param i64) (result i64)))
	(memory (export "memory") 2) (data (i32.const 70000) "here")
	(func (export "canister_global_timer"))
	(func (export "canister_init") (drop (call $timer (i64.const 4000000000000000000))))
	(func (export "canister_update ask") (i32.store (i32.const 0) (i32.const 7)) (call $append (i32.const 70000) (i32.const 4)) (call $reply)))`

// Inhabit gives an instance a canister with a heap and a timer, and makes it answer.
func Inhabit(t testing.TB, i *instance.Instance) {
	t.Helper()
	id := Deploy(t, i, wat.MustAssemble(answering), nil)
	if reply := Update(t, i, id, id, "ask", nil); string(reply) != "here" {
		t.Fatalf("it answers %q", reply)
	}
}

// Deploy installs a module in a new canister of an instance.
func Deploy(t testing.TB, i *instance.Instance, module, arg []byte) principal.Principal {
	t.Helper()
	return DeployTo(t, i, i.Driver().View().DefaultCanister(), module, arg)
}

// DeployTo installs a module in a new canister of the subnet that has a canister id.
func DeployTo(t testing.TB, i *instance.Instance, home principal.Principal, module, arg []byte) principal.Principal {
	t.Helper()
	id := Create(t, i, home)
	Install(t, i, id, module, arg)
	return id
}

// Create makes an empty canister on the subnet that has a canister id.
func Create(t testing.TB, i *instance.Instance, home principal.Principal) principal.Principal {
	t.Helper()
	var created struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	Manage(t, i, home, "provisional_create_canister_with_cycles", struct{}{}, &created)
	return created.Canister
}

// Install installs a module in an empty canister.
func Install(t testing.TB, i *instance.Instance, id principal.Principal, module, arg []byte) {
	t.Helper()
	type mode struct {
		Install *candid.Null `ic:"install,variant"`
	}
	Manage(t, i, id, "install_code", struct {
		Mode     mode                `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{mode{&candid.Null{}}, id, module, arg}, nil)
}

// Manage calls a method of the management canister, and reads its reply unless reply is nil.
func Manage(t testing.TB, i *instance.Instance, effective principal.Principal, method string, arg, reply any) {
	t.Helper()
	encoded, err := candid.Marshal(arg)
	if err != nil {
		t.Fatal(err)
	}
	answer := Update(t, i, principal.Management, effective, method, encoded)
	if reply == nil {
		return
	}
	if err := candid.Unmarshal(answer, reply); err != nil {
		t.Fatal(err)
	}
}

// Update makes an unsigned call, and returns the reply.
func Update(t testing.TB, i *instance.Instance, callee, effective principal.Principal, method string, arg []byte) []byte {
	t.Helper()
	reply, err := TryUpdate(t.Context(), i, callee, effective, method, arg)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// TryUpdate is Update for instances that may have stopped.
func TryUpdate(ctx context.Context, i *instance.Instance, callee, effective principal.Principal, method string, arg []byte) ([]byte, error) {
	id, err := trySubmit(ctx, i, callee, effective, method, arg)
	if err != nil {
		return nil, err
	}
	subnet := i.Driver().View().SubnetOf(effective).ID
	if err := i.AwaitAnswer(ctx, subnet, id); err != nil {
		return nil, err
	}
	answer, err := driver.Ask(ctx, i.Driver(), func(n *replica.Network) replica.IngressAnswer {
		answer, _ := n.IngressAnswer(subnet, id)
		return answer
	})
	if err == nil && answer.Reject != nil {
		err = fmt.Errorf("%s: %v", method, answer.Reject)
	}
	return answer.Reply, err
}

// Submit submits an unsigned call.
func Submit(t testing.TB, i *instance.Instance, callee, effective principal.Principal, method string, arg []byte) replica.RequestID {
	t.Helper()
	id, err := trySubmit(t.Context(), i, callee, effective, method, arg)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func trySubmit(ctx context.Context, i *instance.Instance, callee, effective principal.Principal, method string, arg []byte) (replica.RequestID, error) {
	now, err := i.Now(ctx)
	if err != nil {
		return replica.RequestID{}, err
	}
	in := &replica.Ingress{
		Sender: principal.Anonymous, Receiver: callee, Effective: effective, Method: method, Arg: arg, Expiry: now + replica.MaxIngressTTL/2,
	}
	_, _ = rand.Read(in.ID[:]) // never fails
	receipt, err := i.Backend().Submit(ctx, in)
	if err == nil && receipt.Reject != nil {
		err = fmt.Errorf("%s: %v", method, receipt.Reject)
	}
	return in.ID, err
}
