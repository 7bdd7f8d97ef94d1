package main

// filler writes 512 blocks of 64 KiB of stable memory in each call, each with other bytes, and gives the eight bytes at an offset.
const filler = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_arg_data_copy" (func $arg (param i32 i32 i32)))
	(import "ic0" "stable64_size" (func $size (result i64)))
	(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
	(import "ic0" "stable64_read" (func $read (param i64 i64 i64)))
	(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
	(memory 2)
	(global $seed (mut i64) (i64.const 88172645463325252))
	(func (export "canister_update fill") (local $left i32) (local $at i32) (local $to i64)
		(local.set $left (i32.const 512))
		(local.set $to (i64.shl (call $size) (i64.const 16)))
		(drop (call $grow (i64.const 512)))
		(loop $blocks
			(local.set $at (i32.const 65536))
			(loop $words
				(global.set $seed (i64.xor (global.get $seed) (i64.shl (global.get $seed) (i64.const 13))))
				(global.set $seed (i64.xor (global.get $seed) (i64.shr_u (global.get $seed) (i64.const 7))))
				(global.set $seed (i64.xor (global.get $seed) (i64.shl (global.get $seed) (i64.const 17))))
				(i64.store (local.get $at) (global.get $seed))
				(local.set $at (i32.add (local.get $at) (i32.const 8)))
				(br_if $words (i32.lt_u (local.get $at) (i32.const 131072))))
			(call $write (local.get $to) (i64.const 65536) (i64.const 65536))
			(local.set $to (i64.add (local.get $to) (i64.const 65536)))
			(local.set $left (i32.sub (local.get $left) (i32.const 1)))
			(br_if $blocks (i32.gt_s (local.get $left) (i32.const 0))))
		(call $reply))
	(func (export "canister_query at")
		(call $arg (i32.const 0) (i32.const 0) (i32.const 8))
		(call $read (i64.const 8) (i64.load (i32.const 0)) (i64.const 8))
		(call $append (i32.const 8) (i32.const 8))
		(call $reply)))`
