;; A component that imports functions and a resource of the host.
(component
  (import "host" (instance $host
    (export "clock" (type $clock (sub resource)))
    (export "[constructor]clock" (func (result (own $clock))))
    (export "[method]clock.now" (func (param "self" (borrow $clock)) (result u64)))
    (export "log" (func (param "line" string) (result (result u32 (error string)))))))
  (core module $libc
    (memory (export "memory") 1)
    (data (i32.const 0) "it is late")
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 256)))
  (core instance $libc (instantiate $libc))
  (alias export $host "clock" (type $clock))
  (core func $make (canon lower (func $host "[constructor]clock")))
  (core func $now (canon lower (func $host "[method]clock.now")))
  (core func $log (canon lower (func $host "log") (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
  (core func $drop (canon resource.drop $clock))
  (core module $program
    (import "host" "make" (func $make (result i32)))
    (import "host" "now" (func $now (param i32) (result i64)))
    (import "host" "log" (func $log (param i32 i32 i32)))
    (import "host" "drop" (func $drop (param i32)))
    (import "libc" "memory" (memory 1))
    (func (export "run") (result i64) (local $clock i32) (local $time i64)
      (local.set $clock (call $make))
      (local.set $time (call $now (local.get $clock)))
      (call $drop (local.get $clock))
      (call $log (i32.const 0) (i32.const 10) (i32.const 128))
      (if (i32.load8_u (i32.const 128)) (then (return (i64.const -1))))
      (i64.add (local.get $time) (i64.load32_u (i32.const 132)))))
  (core instance $program (instantiate $program
    (with "libc" (instance $libc))
    (with "host" (instance
      (export "make" (func $make)) (export "now" (func $now)) (export "log" (func $log)) (export "drop" (func $drop))))))
  (func $run (result u64) (canon lift (core func $program "run")))
  (instance (export "example:counter/run") (export "run" (func $run))))
