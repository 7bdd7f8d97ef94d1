;; A start function that asks for the time, before the installation is told of, and an allocator that counts calls for no bytes.
(component
  (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock (export "now" (func (result u64)))))
  (alias export $clock "now" (func $now))
  (core func $now (canon lower (func $now)))

  (core module $Main
    (import "" "now" (func $now (result i64)))
    (memory (export "mem") 1)
    (global $started (mut i64) (i64.const 0))
    (global $told (mut i32) (i32.const 0))
    (global $empty (mut i32) (i32.const 0))
    (func $start (global.set $started (call $now)))
    (start $start)

    (func (export "realloc") (param i32 i32 i32) (param $bytes i32) (result i32)
      (if (i32.eqz (local.get $bytes)) (then (global.set $empty (i32.add (global.get $empty) (i32.const 1)))))
      (i32.shl
        (memory.grow (i32.add (i32.shr_u (local.get $bytes) (i32.const 16)) (i32.const 1)))
        (i32.const 16)))
    (func $tell (param i32)
      (if (i64.ne (global.get $started) (call $now)) (then unreachable))
      (global.set $told (local.get 0)))
    (func (export "init") (param i32 i32) (call $tell (local.get 1)))
    (func (export "pre-upgrade"))
    (func (export "post-upgrade") (param i32 i32) (call $tell (i32.add (i32.const 100) (local.get 1))))
    (func (export "started") (result i64) (global.get $started))
    (func (export "told") (result i32) (global.get $told))
    (func (export "empty") (result i32) (global.get $empty)))

  (core instance $main (instantiate $Main (with "" (instance (export "now" (func $now))))))
  (func $init (param "argument" (list u8))
    (canon lift (core func $main "init") (memory (core memory $main "mem")) (realloc (core func $main "realloc"))))
  (func $pre-upgrade (canon lift (core func $main "pre-upgrade")))
  (func $post-upgrade (param "argument" (list u8))
    (canon lift (core func $main "post-upgrade") (memory (core memory $main "mem")) (realloc (core func $main "realloc"))))
  (instance $installation
    (export "init" (func $init))
    (export "pre-upgrade" (func $pre-upgrade))
    (export "post-upgrade" (func $post-upgrade)))
  (export "ic:canister/installation@0.1.0" (instance $installation))
  (func (export "started") (result u64) (canon lift (core func $main "started")))
  ;; How many bytes the argument of the installation had, and 100 more after an upgrade.
  (func (export "told") (result u32) (canon lift (core func $main "told")))
  (func (export "empty") (result u32) (canon lift (core func $main "empty"))))
