;; A function that tells the host that it runs, and never ends.
(component
  (import "started" (func $started))
  (core func $started' (canon lower (func $started)))
  (core module $m
    (import "host" "started" (func $started))
    (func (export "spin") (call $started) (loop (br 0)))
    (func (export "answer") (result i32) (i32.const 42)))
  (core instance $i (instantiate $m (with "host" (instance (export "started" (func $started'))))))
  (func (export "spin") (canon lift (core func $i "spin")))
  (func (export "answer") (result u32) (canon lift (core func $i "answer"))))
