;; After an upgrade, the beginning of stable memory is used as a whole, as stable_save of the CDK does.
(module
  (import "ic0" "msg_reply" (func $reply))
  (import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
  (import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
  (import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
  (memory 1)
  (data (i32.const 0) "DIDL")
  (data (i32.const 16) "DIDL\00\00")
  (func (export "canister_post_upgrade")
    (drop (call $grow (i64.const 1)))
    (call $write (i64.const 0) (i64.const 0) (i64.const 4)))
  (func (export "canister_query ready") (call $append (i32.const 16) (i32.const 6)) (call $reply)))
