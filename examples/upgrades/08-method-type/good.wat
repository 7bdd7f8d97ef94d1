;; Clients of the old interface decode the total as before.
(module
  (@custom "icp:public candid:service" "service : { total : () -> (nat, opt text) query }")
  (import "ic0" "msg_reply" (func $reply))
  (import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
  (memory 1)
  (data (i32.const 0) "DIDL\00\01\7d\05")
  (func (export "canister_query total") (call $append (i32.const 0) (i32.const 8)) (call $reply)))
