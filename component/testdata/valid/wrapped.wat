;; A component that is called by one in it: "loop" calls the inner component, which calls "back". "back" resumes the thread
;; with the index that it was given; the one of "loop" runs.
(component
  (core module $Table (table (export "table") 1 funcref) (elem (i32.const 0) func $nothing) (func $nothing (param i32)))
  (core instance $tables (instantiate $Table))
  (alias core export $tables "table" (core table $table))
  (core type $start (func (param i32)))
  (canon thread.new-indirect $start (core table $table) (core func $new))
  (canon thread.suspend-then-resume (core func $resume))
  (core module $Back
    (import "" "new" (func $new (param i32 i32) (result i32)))
    (import "" "resume" (func $resume (param i32) (result i32)))
    (func (export "back") (param $thread i32) (result i32)
      (if (local.get $thread) (then (drop (call $resume (local.get $thread)))))
      (i32.const 42)))
  (core instance $back (instantiate $Back (with "" (instance (export "new" (func $new)) (export "resume" (func $resume))))))
  (func $back (param "thread" u32) (result u32) (canon lift (core func $back "back")))

  (component $Inner
    (import "back" (func $back (param "thread" u32) (result u32)))
    (canon lower (func $back) (core func $back'))
    (core module $Main
      (import "" "back" (func $back (param i32) (result i32)))
      (func (export "through") (param i32) (result i32) (call $back (local.get 0))))
    (core instance $main (instantiate $Main (with "" (instance (export "back" (func $back'))))))
    (func (export "through") (param "thread" u32) (result u32) (canon lift (core func $main "through"))))
  (instance $inner (instantiate $Inner (with "back" (func $back))))
  (canon lower (func $inner "through") (core func $through))
  (core module $Main
    (import "" "through" (func $through (param i32) (result i32)))
    (func (export "loop") (param i32) (result i32) (call $through (local.get 0))))
  (core instance $main (instantiate $Main (with "" (instance (export "through" (func $through))))))
  (func (export "loop") (param "thread" u32) (result u32) (canon lift (core func $main "loop"))))
