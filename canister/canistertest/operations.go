package canistertest

// operation is one operation of the scriptable canister.
type operation struct {
	code byte
	body string
}

// The operations. Comments show the stack before and after, its top to the right.
const (
	opInt       = 0x01 // 8 bytes follow            -> n
	opBlob      = 0x02 // length (4 bytes), bytes follow -> b
	opDrop      = 0x03 // v ->
	opDup       = 0x04 // v -> v v
	opSwap      = 0x05 // v w -> w v
	opAdd       = 0x08 // n m -> n+m
	opSub       = 0x09 // n m -> n-m
	opMul       = 0x0a // n m -> n*m
	opDiv       = 0x0b // n m -> n/m; m = 0 traps
	opLess      = 0x0c // n m -> 1 or 0
	opEqual     = 0x0d // n m -> 1 or 0
	opToBlob    = 0x0e // n -> b of 8 bytes, little-endian
	opToInt     = 0x0f // b -> n of its first 8 bytes; fewer trap
	opConcat    = 0x10 // b c -> bc
	opLength    = 0x11 // b -> n
	opRepeat    = 0x18 // n ->; length (4 bytes), body follow
	opIf        = 0x19 // n ->; length (4 bytes), body follow: runs unless n is 0
	opTrap      = 0x1a // b ->
	opFault     = 0x1b // unreachable
	opBusy      = 0x1c // n ->; a loop of n turns
	opAppend    = 0x20 // b ->
	opReply     = 0x21 //
	opReject    = 0x22 // b ->
	opArg       = 0x23 // -> b
	opCaller    = 0x24 // -> b
	opSelf      = 0x25 // -> b
	opRejectNo  = 0x26 // -> n
	opRejectMsg = 0x27 // -> b
	opDeadline  = 0x28 // -> n
	opMethod    = 0x29 // -> b
	opAdmit     = 0x2a //
	opSubnet    = 0x2b // -> b

	opStableSize  = 0x30 // -> pages
	opStableGrow  = 0x31 // pages -> old pages or -1
	opStableWrite = 0x32 // offset b ->
	opStableRead  = 0x33 // offset n -> b
	opHeapWrite   = 0x34 // offset b ->
	opHeapRead    = 0x35 // offset n -> b
	opGrow        = 0x36 // pages -> old pages or -1
	opSet         = 0x37 // n ->
	opGet         = 0x38 // -> n

	opTime        = 0x40 // -> ns
	opTimer       = 0x41 // ns -> old ns
	opCertify     = 0x42 // b ->
	opCertificate = 0x43 // -> b, empty where there is none
	opPrint       = 0x44 // b ->
	opCounter     = 0x45 // kind -> instructions
	opVersion     = 0x46 // -> n
	opStatus      = 0x47 // -> n
	opController  = 0x48 // b -> 1 or 0
	opReplicated  = 0x49 // -> 1 or 0

	opBalance   = 0x50 // -> b of 16 bytes, little-endian
	opAvailable = 0x51 // -> b of 16 bytes
	opRefunded  = 0x52 // -> b of 16 bytes
	opAccept    = 0x53 // n -> b of 16 bytes
	opBurn      = 0x54 // n -> b of 16 bytes
	opLiquid    = 0x55 // -> b of 16 bytes

	opCall    = 0x60 // callee method reply-program reject-program ->
	opData    = 0x61 // b ->
	opCleanup = 0x62 // program ->; after opCall
	opAttach  = 0x63 // n ->
	opTimeout = 0x64 // seconds ->
	opPerform = 0x65 // -> 0 or the error
	opHook    = 0x70 // kind program ->
)

// sized is an operation that pushes what a pair of size and copy functions give.
func sized(name string) string {
	return `(local $n i32) (local $p i32)
  (local.set $n (call $` + name + `_size)) (local.set $p (call $alloc (local.get $n)))
  (call $` + name + `_copy (local.get $p) (i32.const 0) (local.get $n))
  (call $push_blob (local.get $p) (local.get $n))`
}

// arithmetic is an operation on two numbers.
func arithmetic(instruction string) string {
	return `(local $m i64) (local.set $m (call $pop)) (call $push (` + instruction + ` (call $pop) (local.get $m)))`
}

func comparison(instruction string) string {
	return `(local $m i64) (local.set $m (call $pop)) (call $push (i64.extend_i32_u (` + instruction + ` (call $pop) (local.get $m))))`
}

// blob is an operation that hands one blob to a function.
func blob(call string) string {
	return `(local $b i64) (local.set $b (call $pop)) (call ` + call + ` (call $address (local.get $b)) (call $length (local.get $b)))`
}

func amount(call string) string { return `(call ` + call + ` (i32.const SCRATCH)) (call $amount)` }

func move(call string) string {
	return `(call ` + call + ` (i64.const 0) (call $pop) (i32.const SCRATCH)) (call $amount)`
}

var operations = []operation{
	{opInt, `(call $skip (i32.const 8)) (call $push (i64.load (i32.sub (global.get $ip) (i32.const 8))))`},
	{opBlob, `(local $n i32) (local.set $n (call $word)) (call $push_blob (global.get $ip) (local.get $n)) (call $skip (local.get $n))`},
	{opDrop, `(drop (call $pop))`},
	{opDup, `(local $v i64) (local.set $v (call $pop)) (call $push (local.get $v)) (call $push (local.get $v))`},
	{opSwap, `(local $v i64) (local $w i64) (local.set $w (call $pop)) (local.set $v (call $pop)) (call $push (local.get $w)) (call $push (local.get $v))`},
	{opAdd, arithmetic("i64.add")},
	{opSub, arithmetic("i64.sub")},
	{opMul, arithmetic("i64.mul")},
	{opDiv, arithmetic("i64.div_u")},
	{opLess, comparison("i64.lt_u")},
	{opEqual, comparison("i64.eq")},
	{opToBlob, `(local $p i32) (local.set $p (call $alloc (i32.const 8))) (i64.store (local.get $p) (call $pop)) (call $push_blob (local.get $p) (i32.const 8))`},
	{opToInt, `(local $b i64) (local.set $b (call $pop))
  (if (i32.lt_u (call $length (local.get $b)) (i32.const 8)) (then (unreachable)))
  (call $push (i64.load (call $address (local.get $b))))`},
	{opConcat, `(local $b i64) (local $c i64) (local $p i32)
  (local.set $c (call $pop)) (local.set $b (call $pop))
  (if (i64.gt_u (i64.add (i64.and (local.get $b) (i64.const 0xffffffff)) (i64.and (local.get $c) (i64.const 0xffffffff))) (i64.const 0x10000000)) (then (unreachable)))
  (local.set $p (call $alloc (i32.add (call $length (local.get $b)) (call $length (local.get $c)))))
  (memory.copy (local.get $p) (call $address (local.get $b)) (call $length (local.get $b)))
  (memory.copy (i32.add (local.get $p) (call $length (local.get $b))) (call $address (local.get $c)) (call $length (local.get $c)))
  (call $push_blob (local.get $p) (i32.add (call $length (local.get $b)) (call $length (local.get $c))))`},
	{opLength, `(call $push (i64.and (call $pop) (i64.const 0xffffffff)))`},
	{opRepeat, `(local $n i64) (local $p i32) (local $len i32)
  (local.set $n (call $pop)) (local.set $len (call $word)) (local.set $p (global.get $ip)) (call $skip (local.get $len))
  (block $over (loop $more
    (br_if $over (i64.eqz (local.get $n)))
    (local.set $n (i64.sub (local.get $n) (i64.const 1)))
    (call $body (local.get $p) (local.get $len))
    (br $more)))`},
	{opIf, `(local $p i32) (local $len i32)
  (local.set $len (call $word)) (local.set $p (global.get $ip)) (call $skip (local.get $len))
  (if (i64.ne (call $pop) (i64.const 0)) (then (call $body (local.get $p) (local.get $len))))`},
	{opTrap, blob("$trap")},
	{opFault, `(unreachable)`},
	{opBusy, `(local $n i64) (local.set $n (call $pop))
  (block $over (loop $more
    (br_if $over (i64.eqz (local.get $n)))
    (local.set $n (i64.sub (local.get $n) (i64.const 1)))
    (br $more)))`},
	{opAppend, blob("$reply_append")},
	{opReply, `(call $reply)`},
	{opReject, blob("$reject")},
	{opArg, sized("arg")},
	{opCaller, sized("caller")},
	{opSelf, sized("self")},
	{opRejectNo, `(call $push (i64.extend_i32_u (call $reject_code)))`},
	{opRejectMsg, sized("reject")},
	{opDeadline, `(call $push (call $deadline))`},
	{opMethod, sized("method")},
	{opAdmit, `(call $accept_message)`},
	{opSubnet, sized("subnet")},
	{opStableSize, `(call $push (call $stable_size))`},
	{opStableGrow, `(call $push (call $stable_grow (call $pop)))`},
	{opStableWrite, `(local $b i64) (local.set $b (call $pop))
  (call $stable_write (call $pop) (i64.shr_u (local.get $b) (i64.const 32)) (i64.and (local.get $b) (i64.const 0xffffffff)))`},
	{opStableRead, `(local $n i64) (local $p i32)
  (local.set $n (call $pop))
  (if (i64.gt_u (local.get $n) (i64.const 0x10000000)) (then (unreachable)))
  (local.set $p (call $alloc (i32.wrap_i64 (local.get $n))))
  (call $stable_read (i64.extend_i32_u (local.get $p)) (call $pop) (local.get $n))
  (call $push_blob (local.get $p) (i32.wrap_i64 (local.get $n)))`},
	{opHeapWrite, `(local $b i64) (local.set $b (call $pop))
  (memory.copy (call $user_heap (call $pop) (call $length (local.get $b))) (call $address (local.get $b)) (call $length (local.get $b)))`},
	{opHeapRead, `(local $n i64) (local $p i32) (local.set $n (call $pop))
  (if (i64.gt_u (local.get $n) (i64.const HEAPBYTES)) (then (unreachable)))
  (local.set $p (call $alloc (i32.wrap_i64 (local.get $n))))
  (memory.copy (local.get $p) (call $user_heap (call $pop) (i32.wrap_i64 (local.get $n))) (i32.wrap_i64 (local.get $n)))
  (call $push_blob (local.get $p) (i32.wrap_i64 (local.get $n)))`},
	{opGrow, `(call $push (i64.extend_i32_s (memory.grow (i32.wrap_i64 (call $pop)))))`},
	{opSet, `(global.set $register (call $pop))`},
	{opGet, `(call $push (global.get $register))`},
	{opTime, `(call $push (call $time))`},
	{opTimer, `(call $push (call $timer_set (call $pop)))`},
	{opCertify, blob("$certify")},
	{opCertificate, `(local $n i32) (local $p i32)
  (if (call $certificate_present) (then (local.set $n (call $certificate_size))))
  (local.set $p (call $alloc (local.get $n)))
  (if (local.get $n) (then (call $certificate_copy (local.get $p) (i32.const 0) (local.get $n))))
  (call $push_blob (local.get $p) (local.get $n))`},
	{opPrint, blob("$print")},
	{opCounter, `(call $push (call $counter (i32.wrap_i64 (call $pop))))`},
	{opVersion, `(call $push (call $version))`},
	{opStatus, `(call $push (i64.extend_i32_u (call $status)))`},
	{opController, `(local $b i64) (local.set $b (call $pop))
  (call $push (i64.extend_i32_u (call $is_controller (call $address (local.get $b)) (call $length (local.get $b)))))`},
	{opReplicated, `(call $push (i64.extend_i32_u (call $replicated)))`},
	{opBalance, amount("$balance")},
	{opAvailable, amount("$available")},
	{opRefunded, amount("$refunded")},
	{opAccept, move("$accept")},
	{opBurn, move("$burn")},
	{opLiquid, amount("$liquid")},
	{opCall, `(local $callee i64) (local $method i64) (local $reply i64) (local $reject i64)
  (local.set $reject (call $pop)) (local.set $reply (call $pop)) (local.set $method (call $pop)) (local.set $callee (call $pop))
  (call $free (global.get $pending))
  (global.set $pending (call $take))
  (call $keep (global.get $pending) (i32.const 4) (local.get $reply))
  (call $keep (global.get $pending) (i32.const 8) (local.get $reject))
  (call $call_new (call $address (local.get $callee)) (call $length (local.get $callee)) (call $address (local.get $method)) (call $length (local.get $method))
    (i32.const ONREPLY) (global.get $pending) (i32.const ONREJECT) (global.get $pending))`},
	{opData, blob("$call_data")},
	{opCleanup, `(if (i32.eqz (global.get $pending)) (then (unreachable)))
  (call $call_cleanup (i32.const ONCLEANUP) (global.get $pending))
  (call $keep (global.get $pending) (i32.const 12) (call $pop))`},
	{opAttach, `(call $call_cycles (i64.const 0) (call $pop))`},
	{opTimeout, `(call $call_timeout (i32.wrap_i64 (call $pop)))`},
	{opPerform, `(local $e i32)
  (local.set $e (call $call_perform))
  (if (local.get $e) (then (call $free (global.get $pending))))
  (global.set $pending (i32.const 0))
  (call $push (i64.extend_i32_u (local.get $e)))`},
	{opHook, `(local $b i64) (local $p i64)
  (local.set $b (call $pop)) (local.set $p (call $pop))
  (if (i64.ge_u (local.get $p) (i64.const HOOKCOUNT)) (then (unreachable)))
  (if (i32.gt_u (call $length (local.get $b)) (i32.const 1000)) (then (unreachable)))
  (i32.store (i32.add (i32.const HOOKS) (i32.mul (i32.wrap_i64 (local.get $p)) (i32.const SLOTBYTES))) (call $length (local.get $b)))
  (memory.copy (i32.add (i32.const HOOKS) (i32.add (i32.const 4) (i32.mul (i32.wrap_i64 (local.get $p)) (i32.const SLOTBYTES)))) (call $address (local.get $b)) (call $length (local.get $b)))`},
}
