package main

// loaded is the canister of the load. Its methods:
//
//   - count adds one to a number and replies it; read is the query of the number.
//   - ask calls count of the canister whose id is the argument, and replies its reply.
//   - ask_trap does the same and traps in the callback; trap traps at once.
//   - dirty writes to 64 pages of the heap and one of the stable memory, further on with each call.
//   - tick arms the global timer, which fires every second from then on.
const loaded = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(import "ic0" "msg_arg_data_copy" (func $copy (param i32 i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
	(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
	(import "ic0" "time" (func $time (result i64)))
	(import "ic0" "global_timer_set" (func $timer (param i64) (result i64)))
	(memory (export "memory") 64)
	(data (i32.const 100) "count")
	(table funcref (elem $answered $failed $trapping))
	(func (export "canister_init") (drop (call $grow (i64.const 64))))
	(func $number (call $append (i32.const 0) (i32.const 8)) (call $reply))
	(func (export "canister_query read") (call $number))
	(func (export "canister_update count")
		(i64.store (i32.const 0) (i64.add (i64.load (i32.const 0)) (i64.const 1)))
		(call $number))
	(func $call (param $then i32)
		(call $copy (i32.const 200) (i32.const 0) (call $size))
		(call $new (i32.const 200) (call $size) (i32.const 100) (i32.const 5) (local.get $then) (i32.const 0) (i32.const 1) (i32.const 0))
		(if (call $perform) (then (unreachable))))
	(func (export "canister_update ask") (call $call (i32.const 0)))
	(func (export "canister_update ask_trap") (call $call (i32.const 2)))
	(func $answered (param i32)
		(call $copy (i32.const 300) (i32.const 0) (i32.const 8))
		(call $append (i32.const 300) (i32.const 8))
		(call $reply))
	(func $failed (param i32) (unreachable))
	(func $trapping (param i32) (i64.store (i32.const 400) (i64.const 1)) (unreachable))
	(func (export "canister_update trap") (i64.store (i32.const 400) (i64.const 1)) (unreachable))
	(func (export "canister_update dirty") (local $page i32) (local $left i32)
		(i64.store (i32.const 8) (i64.add (i64.load (i32.const 8)) (i64.const 1)))
		(local.set $left (i32.const 64))
		(loop $next
			(local.set $page (i32.add (i32.const 1)
				(i32.rem_u (i32.add (i32.wrap_i64 (i64.mul (i64.load (i32.const 8)) (i64.const 64))) (local.get $left)) (i32.const 1000))))
			(i64.store (i32.mul (local.get $page) (i32.const 4096)) (i64.load (i32.const 8)))
			(br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
		(call $write (i64.mul (i64.rem_u (i64.load (i32.const 8)) (i64.const 1000)) (i64.const 4096)) (i64.const 0) (i64.const 4096))
		(call $reply))
	(func $arm (drop (call $timer (i64.add (call $time) (i64.const 1000000000)))))
	(func (export "canister_update tick") (call $arm) (call $reply))
	(func (export "canister_global_timer")
		(i64.store (i32.const 0) (i64.add (i64.load (i32.const 0)) (i64.const 1)))
		(call $arm)))`
