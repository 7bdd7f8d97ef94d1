;; Amounts are in cents, in the first 8 bytes of stable memory.
(module
  (import "ic0" "msg_reply" (func $reply))
  (import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
  (import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
  (import "ic0" "stable64_read" (func $read (param i64 i64 i64)))
  (import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
  (memory 1)
  (data (i32.const 0) "DIDL\00\01\78") ;; and the value at 7
  (func (export "canister_init")
    (drop (call $grow (i64.const 1)))
    (i64.store (i32.const 32) (i64.const 250))
    (call $write (i64.const 0) (i64.const 32) (i64.const 8)))
  (func (export "canister_query cents")
    (call $read (i64.const 7) (i64.const 0) (i64.const 8))
    (call $append (i32.const 0) (i32.const 15)) (call $reply)))
