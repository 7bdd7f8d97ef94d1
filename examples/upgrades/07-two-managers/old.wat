;; Stable memory belongs to the memory manager of ic-stable-structures, which writes MGR and its version at the beginning.
(module
  (import "ic0" "msg_reply" (func $reply))
  (import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
  (import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
  (import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
  (memory 1)
  (data (i32.const 0) "MGR\01")
  (data (i32.const 16) "DIDL\00\00")
  (func (export "canister_init")
    (drop (call $grow (i64.const 1)))
    (call $write (i64.const 0) (i64.const 0) (i64.const 4)))
  (func (export "canister_query ready") (call $append (i32.const 16) (i32.const 6)) (call $reply)))
