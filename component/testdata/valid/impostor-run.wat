;; It exports the function of a program with another result.
(component
  (core module $m (func (export "run") (result i32) (i32.const 7)))
  (core instance $i (instantiate $m))
  (func $run (result u32) (canon lift (core func $i "run")))
  (instance $exports (export "run" (func $run)))
  (export "wasi:cli/run@0.2.0" (instance $exports)))
