package main

import (
	"context"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// counting is a canister that adds one to a number in its heap and to one in its stable memory with each update, and
// gives both. A query gives them as well.
const counting = `(module
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
	(import "ic0" "stable64_read" (func $read (param i64 i64 i64)))
	(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
	(memory (export "memory") 1)
	(func (export "canister_init") (drop (call $grow (i64.const 1))))
	(func (export "canister_update count")
		(i64.store (i32.const 0) (i64.add (i64.load (i32.const 0)) (i64.const 1)))
		(call $read (i64.const 8) (i64.const 0) (i64.const 8))
		(i64.store (i32.const 8) (i64.add (i64.load (i32.const 8)) (i64.const 1)))
		(call $write (i64.const 0) (i64.const 8) (i64.const 8))
		(call $append (i32.const 0) (i32.const 16)) (call $reply))
	(func (export "canister_query read")
		(call $read (i64.const 8) (i64.const 0) (i64.const 8))
		(call $append (i32.const 0) (i32.const 16)) (call $reply)))`

// call makes an update, and gives the reply.
type call func(ctx context.Context, callee, effective principal.Principal, method string, arg []byte) ([]byte, error)

// deploy makes a canister that counts.
func deploy(ctx context.Context, do call, home principal.Principal) (principal.Principal, error) {
	var created struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	arg, err := candid.Marshal(struct{}{})
	if err != nil {
		return principal.Principal{}, err
	}
	reply, err := do(ctx, principal.Management, home, "provisional_create_canister_with_cycles", arg)
	if err == nil {
		err = candid.Unmarshal(reply, &created)
	}
	if err != nil {
		return principal.Principal{}, err
	}
	return created.Canister, install(ctx, do, created.Canister)
}

// install puts the program that counts into a canister. What it had is gone.
func install(ctx context.Context, do call, id principal.Principal) error {
	module, err := wat.Assemble(counting)
	if err != nil {
		return err
	}
	type mode struct {
		Reinstall *candid.Null `ic:"reinstall,variant"`
	}
	arg, err := candid.Marshal(struct {
		Mode     mode                `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{mode{&candid.Null{}}, id, module, nil})
	if err == nil {
		_, err = do(ctx, principal.Management, id, "install_code", arg)
	}
	return err
}
