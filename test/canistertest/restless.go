package canistertest

import "github.com/canisterd/canisterd/test/canistertest/wat"

// Restless is a canister whose update "begin" asks for random bytes, and which asks again whenever it gets some. Each
// call takes a round.
func Restless() []byte {
	return wat.MustAssemble(`(module
		(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
		(import "ic0" "call_data_append" (func $append (param i32 i32)))
		(import "ic0" "call_perform" (func $perform (result i32)))
		(memory 1)
		(data (i32.const 0) "raw_rand")
		(data (i32.const 8) "DIDL\00\00")
		(table funcref (elem $ask))
		(func $ask (param i32)
			(call $new (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 8) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
			(call $append (i32.const 8) (i32.const 6))
			(drop (call $perform)))
		(func (export "canister_update begin") (call $ask (i32.const 0))))`)
}
