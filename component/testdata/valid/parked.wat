;; Calls that wait: each is a task of one component and a subtask of the other.
(component
  (component $Sleeper
    (core module $Main
      (import "" "set" (func $set (result i32)))
      (global $all (mut i32) (i32.const 0))
      (func $start (global.set $all (call $set)))
      (start $start)
      (func (export "sleep") (result i32)
        (i32.or (i32.const 2 (; wait ;)) (i32.shl (global.get $all) (i32.const 4))))
      (func (export "sleep-event") (param i32 i32 i32) (result i32) unreachable))
    (canon waitable-set.new (core func $set))
    (canon task.return (core func $return))
    (core instance $main (instantiate $Main (with "" (instance (export "set" (func $set))))))
    (core module $Nap
      (import "" "return" (func $return))
      (func (export "nap") (result i32) (call $return) (i32.const 0 (; exit ;)))
      (func (export "nap-event") (param i32 i32 i32) (result i32) unreachable))
    (core instance $nap (instantiate $Nap (with "" (instance (export "return" (func $return))))))
    (func (export "sleep") async (canon lift (core func $main "sleep") async (callback (core func $main "sleep-event"))))
    (canon backpressure.inc (core func $inc))
    (canon backpressure.dec (core func $dec))
    (func (export "close") (canon lift (core func $inc)))
    (func (export "open") (canon lift (core func $dec)))
    (func (export "nap") async (canon lift (core func $nap "nap") async (callback (core func $nap "nap-event")))))

  (component $Caller
    (import "sleep" (func $sleep async))
    (import "nap" (func $nap async))
    (canon lower (func $sleep) async (core func $sleep'))
    (canon lower (func $nap) async (core func $nap'))
    (core module $Main
      (import "" "sleep" (func $sleep (result i32)))
      (import "" "nap" (func $nap (result i32)))
      (func (export "park") (param $n i32)
        (loop $more
          (if (local.get $n)
            (then
              (if (i32.ne (i32.and (call $sleep) (i32.const 15)) (i32.const 1 (; started ;))) (then unreachable))
              (local.set $n (i32.sub (local.get $n) (i32.const 1)))
              (br $more)))))
      (func (export "hold") (drop (call $nap)))
      (func (export "naps") (param $n i32)
        (loop $more
          (if (local.get $n)
            (then
              (if (i32.ne (call $nap) (i32.const 2 (; returned ;))) (then unreachable))
              (local.set $n (i32.sub (local.get $n) (i32.const 1)))
              (br $more))))))
    (core instance $main (instantiate $Main (with "" (instance (export "sleep" (func $sleep')) (export "nap" (func $nap'))))))
    (func (export "park") (param "calls" u32) (canon lift (core func $main "park")))
    (func (export "hold") (canon lift (core func $main "hold")))
    (func (export "naps") (param "calls" u32) (canon lift (core func $main "naps"))))

  (instance $sleeper (instantiate $Sleeper))
  (instance $one (instantiate $Caller (with "sleep" (func $sleeper "sleep")) (with "nap" (func $sleeper "nap"))))
  (instance $two (instantiate $Caller (with "sleep" (func $sleeper "sleep")) (with "nap" (func $sleeper "nap"))))
  (func (export "park-one") (alias export $one "park"))
  (func (export "park-two") (alias export $two "park"))
  (func (export "close") (alias export $sleeper "close"))
  (func (export "open") (alias export $sleeper "open"))
  (func (export "hold") (alias export $one "hold"))
  (func (export "naps") (alias export $one "naps")))
