;; Functions of WASI preview 1 on the System API. They are linked into a program and use its memory. The last page of
;; that memory is theirs: the program sees a memory that is one page smaller (memory_size and memory_grow).
;;
;; A page has:
;;     0  the line that a stream has begun, at most 32 KiB
;; 32768  the name of an environment variable
(module
  (import "ic0" "debug_print" (func $debug_print (param i32 i32)))
  (import "ic0" "trap" (func $trap (param i32 i32)))
  (import "ic0" "time" (func $time (result i64)))
  (import "ic0" "performance_counter" (func $performance_counter (param i32) (result i64)))
  (import "ic0" "canister_version" (func $canister_version (result i64)))
  (import "ic0" "env_var_count" (func $env_var_count (result i32)))
  (import "ic0" "env_var_name_size" (func $env_var_name_size (param i32) (result i32)))
  (import "ic0" "env_var_name_copy" (func $env_var_name_copy (param i32 i32 i32 i32)))
  (import "ic0" "env_var_value_size" (func $env_var_value_size (param i32 i32) (result i32)))
  (import "ic0" "env_var_value_copy" (func $env_var_value_copy (param i32 i32 i32 i32 i32)))
  (memory 1)

  (global $file (mut i32) (i32.const 0))   ;; the stream of the line
  (global $length (mut i32) (i32.const 0)) ;; bytes of the line
  (global $random (mut i64) (i64.const 0)) ;; state of the generator

  ;; Memory.

  ;; page is the address of the page that the program does not see.
  (func $page (result i32)
    (i32.shl (i32.sub (memory.size) (i32.const 1)) (i32.const 16)))

  (func $memory_size (export "memory_size") (result i32)
    (i32.sub (memory.size) (i32.const 1)))

  ;; memory_grow moves the hidden page to the new end, and clears it where it was.
  (func $memory_grow (export "memory_grow") (param $pages i32) (result i32)
    (local $old i32) (local $from i32)
    (local.set $from (call $page))
    (if (i32.eq (local.tee $old (memory.grow (local.get $pages))) (i32.const -1))
      (then (return (i32.const -1))))
    (if (local.get $pages)
      (then
        (memory.copy (call $page) (local.get $from) (global.get $length))
        (memory.fill (local.get $from) (i32.const 0) (i32.const 33024))))
    (i32.sub (local.get $old) (i32.const 1)))

  ;; inside reports whether size bytes at ptr are the program's.
  (func $inside (param $ptr i32) (param $size i64) (result i32)
    (i64.le_u (i64.add (i64.extend_i32_u (local.get $ptr)) (local.get $size)) (i64.extend_i32_u (call $page))))

  (func $put32 (param $ptr i32) (param $n i32) (result i32)
    (if (i32.eqz (call $inside (local.get $ptr) (i64.const 4))) (then (return (i32.const 21))))
    (i32.store (local.get $ptr) (local.get $n))
    (i32.const 0))

  (func $put64 (param $ptr i32) (param $n i64) (result i32)
    (if (i32.eqz (call $inside (local.get $ptr) (i64.const 8))) (then (return (i32.const 21))))
    (i64.store (local.get $ptr) (local.get $n))
    (i32.const 0))

  ;; vectors checks a list of buffers.
  (func $vectors (param $list i32) (param $count i32) (result i32)
    (if (i32.gt_u (local.get $count) (i32.const 1024)) (then (return (i32.const 28))))
    (if (i32.eqz (call $inside (local.get $list) (i64.extend_i32_u (i32.shl (local.get $count) (i32.const 3)))))
      (then (return (i32.const 21))))
    (block $end
      (loop $next
        (br_if $end (i32.eqz (local.get $count)))
        (if (i32.eqz (call $inside (i32.load (local.get $list)) (i64.load32_u offset=4 (local.get $list))))
          (then (return (i32.const 21))))
        (local.set $list (i32.add (local.get $list) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.const 0))

  ;; Streams.

  (func $fd_write (export "fd_write") (param $file i32) (param $list i32) (param $count i32) (param $to i32) (result i32)
    (local $bad i32) (local $total i64) (local $at i32) (local $end i32)
    (if (i32.gt_u (i32.sub (local.get $file) (i32.const 1)) (i32.const 1)) (then (return (i32.const 8))))
    (if (local.tee $bad (call $vectors (local.get $list) (local.get $count))) (then (return (local.get $bad))))
    (if (i32.eqz (call $inside (local.get $to) (i64.const 4))) (then (return (i32.const 21))))
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 3))))
    (local.set $at (local.get $list))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $at) (local.get $end)))
        (local.set $total (i64.add (local.get $total) (i64.load32_u offset=4 (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $next)))
    (if (i64.gt_u (local.get $total) (i64.const 0xffffffff)) (then (return (i32.const 28))))
    (local.set $at (local.get $list))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $at) (local.get $end)))
        (call $write (local.get $file) (i32.load (local.get $at)) (i32.load offset=4 (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $next)))
    (i32.store (local.get $to) (i32.wrap_i64 (local.get $total)))
    (i32.const 0))

  ;; write adds bytes to the line of a stream, and logs the lines that they end.
  (func $write (param $file i32) (param $ptr i32) (param $size i32)
    (local $room i32) (local $most i32) (local $n i32)
    (if (i32.eqz (local.get $size)) (then (return)))
    (if (i32.ne (global.get $file) (local.get $file))
      (then (call $end_line) (global.set $file (local.get $file))))
    (loop $lines
      (local.set $room (i32.sub (i32.const 32768) (global.get $length)))
      (local.set $most (select (local.get $size) (local.get $room) (i32.lt_u (local.get $size) (local.get $room))))
      (local.set $n (i32.const 0))
      (block $found
        (loop $scan
          (br_if $found (i32.eq (local.get $n) (local.get $most)))
          (br_if $found (i32.eq (i32.load8_u (i32.add (local.get $ptr) (local.get $n))) (i32.const 10)))
          (local.set $n (i32.add (local.get $n) (i32.const 1)))
          (br $scan)))
      (memory.copy (i32.add (call $page) (global.get $length)) (local.get $ptr) (local.get $n))
      (global.set $length (i32.add (global.get $length) (local.get $n)))
      (if (i32.eq (local.get $n) (local.get $most))
        (then (if (i32.lt_u (local.get $size) (local.get $room)) (then (return))))
        (else (local.set $n (i32.add (local.get $n) (i32.const 1)))))
      (call $end_line)
      (local.set $ptr (i32.add (local.get $ptr) (local.get $n)))
      (br_if $lines (local.tee $size (i32.sub (local.get $size) (local.get $n))))))

  ;; end_line logs the line that a stream has begun, if there is one.
  (func $end_line (export "end_line")
    (if (global.get $length)
      (then
        (call $debug_print (call $page) (global.get $length))
        (global.set $length (i32.const 0)))))

  (func $fd_read (export "fd_read") (param $file i32) (param $list i32) (param $count i32) (param $to i32) (result i32)
    (local $bad i32)
    (if (local.get $file) (then (return (i32.const 8))))
    (if (local.tee $bad (call $vectors (local.get $list) (local.get $count))) (then (return (local.get $bad))))
    (call $put32 (local.get $to) (i32.const 0)))

  ;; closed is EBADF for a descriptor that is not open.
  (func $closed (param $file i32) (result i32)
    (select (i32.const 8) (i32.const 0) (i32.gt_u (local.get $file) (i32.const 2))))

  (func $fd_close (export "fd_close") (param $file i32) (result i32)
    (call $closed (local.get $file)))

  (func $fd_fdstat_set_flags (export "fd_fdstat_set_flags") (param $file i32) (param i32) (result i32)
    (call $closed (local.get $file)))

  (func $fd_seek (export "fd_seek") (param $file i32) (param i64 i32 i32) (result i32)
    (select (i32.const 8) (i32.const 70) (i32.gt_u (local.get $file) (i32.const 2))))

  ;; rights are to poll, and to read the input or write an output.
  (func $rights (param $file i32) (result i64)
    (select (i64.const 0x8000040) (i64.const 0x8000002) (local.get $file)))

  (func $fd_fdstat_get (export "fd_fdstat_get") (param $file i32) (param $to i32) (result i32)
    (if (i32.gt_u (local.get $file) (i32.const 2)) (then (return (i32.const 8))))
    (if (i32.eqz (call $inside (local.get $to) (i64.const 24))) (then (return (i32.const 21))))
    ;; a character device, in append mode if it is an output
    (i64.store (local.get $to) (select (i64.const 0x10002) (i64.const 2) (local.get $file)))
    (i64.store offset=8 (local.get $to) (call $rights (local.get $file)))
    (i64.store offset=16 (local.get $to) (i64.const 0))
    (i32.const 0))

  (func $fd_fdstat_set_rights (export "fd_fdstat_set_rights") (param $file i32) (param $rights i64) (param $inherited i64) (result i32)
    (if (i32.gt_u (local.get $file) (i32.const 2)) (then (return (i32.const 8))))
    (select (i32.const 0) (i32.const 76)
      (i64.eqz (i64.or (local.get $inherited)
        (i64.and (local.get $rights) (i64.xor (call $rights (local.get $file)) (i64.const -1)))))))

  (func $fd_prestat_get (export "fd_prestat_get") (param i32 i32) (result i32) (i32.const 8))

  (func $fd_prestat_dir_name (export "fd_prestat_dir_name") (param i32 i32 i32) (result i32) (i32.const 8))

  ;; Arguments and environment.

  (func $args_get (export "args_get") (param i32 i32) (result i32) (i32.const 0))

  (func $put_sizes (param $to i32) (param $count i32) (param $to_bytes i32) (param $bytes i32) (result i32)
    (local $bad i32)
    (if (local.tee $bad (call $put32 (local.get $to) (local.get $count))) (then (return (local.get $bad))))
    (call $put32 (local.get $to_bytes) (local.get $bytes)))

  (func $args_sizes_get (export "args_sizes_get") (param $to i32) (param $to_bytes i32) (result i32)
    (call $put_sizes (local.get $to) (i32.const 0) (local.get $to_bytes) (i32.const 0)))

  (func $environ_sizes_get (export "environ_sizes_get") (param $to i32) (param $to_bytes i32) (result i32)
    (call $put_sizes (local.get $to) (call $env_var_count) (local.get $to_bytes) (call $environment_bytes)))

  ;; environment_bytes is the size of all variables as NAME=VALUE, each ended by a zero.
  (func $environment_bytes (result i32)
    (local $i i32) (local $n i32) (local $name i32) (local $size i32)
    (local.set $name (i32.add (call $page) (i32.const 32768)))
    (block $end
      (loop $next
        (br_if $end (i32.eq (local.get $i) (call $env_var_count)))
        (local.set $size (call $env_var_name_size (local.get $i)))
        (call $env_var_name_copy (local.get $i) (local.get $name) (i32.const 0) (local.get $size))
        (local.set $n (i32.add (local.get $n) (i32.add (i32.const 2)
          (i32.add (local.get $size) (call $env_var_value_size (local.get $name) (local.get $size))))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (local.get $n))

  (func $environ_get (export "environ_get") (param $to i32) (param $text i32) (result i32)
    (local $i i32) (local $count i32) (local $name_size i32) (local $value_size i32) (local $value i32)
    (local.set $count (call $env_var_count))
    (if (i32.eqz (call $inside (local.get $text) (i64.extend_i32_u (call $environment_bytes)))) (then (return (i32.const 21))))
    (if (i32.eqz (call $inside (local.get $to) (i64.extend_i32_u (i32.shl (local.get $count) (i32.const 2)))))
      (then (return (i32.const 21))))
    (block $end
      (loop $next
        (br_if $end (i32.eq (local.get $i) (local.get $count)))
        (i32.store (i32.add (local.get $to) (i32.shl (local.get $i) (i32.const 2))) (local.get $text))
        (local.set $name_size (call $env_var_name_size (local.get $i)))
        (call $env_var_name_copy (local.get $i) (local.get $text) (i32.const 0) (local.get $name_size))
        (local.set $value_size (call $env_var_value_size (local.get $text) (local.get $name_size)))
        (local.set $value (i32.add (i32.add (local.get $text) (local.get $name_size)) (i32.const 1)))
        (call $env_var_value_copy (local.get $text) (local.get $name_size) (local.get $value) (i32.const 0) (local.get $value_size))
        (i32.store8 (i32.sub (local.get $value) (i32.const 1)) (i32.const 61))
        (local.set $text (i32.add (i32.add (local.get $value) (local.get $value_size)) (i32.const 1)))
        (i32.store8 (i32.sub (local.get $text) (i32.const 1)) (i32.const 0))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (i32.const 0))

  ;; Clocks.

  (func $clock_res_get (export "clock_res_get") (param $clock i32) (param $to i32) (result i32)
    (if (i32.gt_u (local.get $clock) (i32.const 1)) (then (return (i32.const 28))))
    (call $put64 (local.get $to) (i64.const 1)))

  (func $clock_time_get (export "clock_time_get") (param $clock i32) (param i64) (param $to i32) (result i32)
    (if (i32.gt_u (local.get $clock) (i32.const 1)) (then (return (i32.const 28))))
    (call $put64 (local.get $to) (call $time)))

  ;; Randomness: a generator (SplitMix64) that every call stirs. It can be predicted.

  (func $draw (result i64)
    (local $z i64)
    (global.set $random (i64.add (global.get $random) (i64.const 0x9e3779b97f4a7c15)))
    (local.set $z (global.get $random))
    (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 30))) (i64.const 0xbf58476d1ce4e5b9)))
    (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 27))) (i64.const 0x94d049bb133111eb)))
    (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 31))))

  (func $random_get (export "random_get") (param $to i32) (param $size i32) (result i32)
    (local $bits i64) (local $left i32)
    (if (i32.eqz (call $inside (local.get $to) (i64.extend_i32_u (local.get $size)))) (then (return (i32.const 21))))
    (global.set $random (i64.xor (call $draw) (call $time)))
    (global.set $random (i64.xor (call $draw) (call $canister_version)))
    (global.set $random (i64.xor (call $draw) (call $performance_counter (i32.const 0))))
    (block $end
      (loop $next
        (br_if $end (i32.eqz (local.get $size)))
        (if (i32.eqz (local.get $left))
          (then (local.set $bits (call $draw)) (local.set $left (i32.const 8))))
        (i64.store8 (local.get $to) (local.get $bits))
        (local.set $bits (i64.shr_u (local.get $bits) (i64.const 8)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))
        (local.set $size (i32.sub (local.get $size) (i32.const 1)))
        (br $next)))
    (i32.const 0))

  ;; Waiting.

  ;; fault is the error of the subscription at $from.
  (func $fault (param $from i32) (result i32)
    (local $type i32) (local $subject i32)
    (local.set $type (i32.load8_u offset=8 (local.get $from)))
    (local.set $subject (i32.load offset=16 (local.get $from)))
    (if (i32.eqz (local.get $type))
      (then (return (select (i32.const 28) (i32.const 0) (i32.gt_u (local.get $subject) (i32.const 1))))))
    (if (i32.eq (local.get $type) (i32.const 1))
      (then (return (select (i32.const 8) (i32.const 0) (local.get $subject)))))
    (if (i32.eq (local.get $type) (i32.const 2))
      (then (return (select (i32.const 8) (i32.const 0)
        (i32.gt_u (i32.sub (local.get $subject) (i32.const 1)) (i32.const 1))))))
    (i32.const 28))

  ;; waits reports whether the subscription at $from, which has no error, is a time to come.
  (func $waits (param $from i32) (result i32)
    (if (i32.load8_u offset=8 (local.get $from)) (then (return (i32.const 0))))
    (if (i32.and (i32.load16_u offset=40 (local.get $from)) (i32.const 1))
      (then (return (i64.gt_u (i64.load offset=24 (local.get $from)) (call $time)))))
    (i64.ne (i64.load offset=24 (local.get $from)) (i64.const 0)))

  (func $poll_oneoff (export "poll_oneoff") (param $from i32) (param $to i32) (param $count i32) (param $number i32) (result i32)
    (local $ready i32) (local $bad i32)
    (if (i32.gt_u (i32.sub (local.get $count) (i32.const 1)) (i32.const 1023)) (then (return (i32.const 28))))
    (if (i32.eqz (call $inside (local.get $from) (i64.extend_i32_u (i32.mul (local.get $count) (i32.const 48)))))
      (then (return (i32.const 21))))
    (if (i32.eqz (call $inside (local.get $to) (i64.extend_i32_u (i32.shl (local.get $count) (i32.const 5)))))
      (then (return (i32.const 21))))
    (if (i32.eqz (call $inside (local.get $number) (i64.const 4))) (then (return (i32.const 21))))
    (loop $next
      (local.set $bad (call $fault (local.get $from)))
      (if (if (result i32) (local.get $bad) (then (i32.const 1)) (else (i32.eqz (call $waits (local.get $from)))))
        (then
          (call $put_event (local.get $to) (local.get $from) (local.get $bad))
          (local.set $to (i32.add (local.get $to) (i32.const 32)))
          (local.set $ready (i32.add (local.get $ready) (i32.const 1)))))
      (local.set $from (i32.add (local.get $from) (i32.const 48)))
      (br_if $next (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))
    ;; nothing may wait on the network: ENOTSUP
    (if (i32.eqz (local.get $ready)) (then (return (i32.const 58))))
    (i32.store (local.get $number) (local.get $ready))
    (i32.const 0))

  ;; put_event writes the event of a subscription that is ready. An input is at its end.
  (func $put_event (param $to i32) (param $from i32) (param $bad i32)
    (local $type i32)
    (local.set $type (i32.load8_u offset=8 (local.get $from)))
    (i64.store (local.get $to) (i64.load (local.get $from)))
    (i64.store offset=8 (local.get $to)
      (i64.extend_i32_u (i32.or (local.get $bad) (i32.shl (local.get $type) (i32.const 16)))))
    (i64.store offset=16 (local.get $to) (i64.const 0))
    (i64.store offset=24 (local.get $to)
      (i64.extend_i32_u (i32.and (i32.eq (local.get $type) (i32.const 1)) (i32.eqz (local.get $bad))))))

  ;; Processes.

  (func $sched_yield (export "sched_yield") (result i32) (i32.const 0))

  ;; proc_exit traps with "exited with code " and the code.
  (func $proc_exit (export "proc_exit") (param $code i32)
    (local $to i32) (local $left i32) (local $digits i32)
    (call $end_line)
    (local.set $to (call $page))
    (i64.store (local.get $to) (i64.const 0x7720646574697865))          ;; "exited w"
    (i64.store offset=8 (local.get $to) (i64.const 0x65646f6320687469)) ;; "ith code"
    (i32.store8 offset=16 (local.get $to) (i32.const 32))
    (local.set $left (local.get $code))
    (loop $count
      (local.set $digits (i32.add (local.get $digits) (i32.const 1)))
      (br_if $count (local.tee $left (i32.div_u (local.get $left) (i32.const 10)))))
    (local.set $left (local.get $digits))
    (loop $next
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (i32.store8 offset=17 (i32.add (local.get $to) (local.get $left))
        (i32.add (i32.const 48) (i32.rem_u (local.get $code) (i32.const 10))))
      (local.set $code (i32.div_u (local.get $code) (i32.const 10)))
      (br_if $next (local.get $left)))
    (call $trap (local.get $to) (i32.add (i32.const 17) (local.get $digits)))
    (unreachable)))
