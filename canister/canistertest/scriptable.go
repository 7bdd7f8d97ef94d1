package canistertest

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/canister/canistertest/wat"
)

// Addresses in the scriptable canister's heap.
const (
	stackEnd    = 0x8000  // the stack is below
	scratch     = 0x8000  // 16 bytes for amounts
	hooksBase   = 0x9000  // hookCount hooks of slotBytes
	heapBase    = 0x10000 // what HeapStore and HeapLoad see
	slotsBase   = 0x20000
	slotBytes   = 1024
	slotCount   = 512
	arenaBase   = slotsBase + slotCount*slotBytes
	memoryPages = arenaBase>>16 + 1

	// HeapBytes is the size of the heap that HeapStore and HeapLoad see.
	HeapBytes = 0x10000
)

// Entries of the table beyond the operations.
const (
	onReply   = 128
	onReject  = 129
	onCleanup = 130
)

// Scriptable is the scriptable canister's module. It has no heartbeat, so that a
// machine with it comes to rest.
func Scriptable() []byte { return wat.MustAssemble(scriptable("")) }

// ScriptableBeating is the scriptable canister with canister_heartbeat.
func ScriptableBeating() []byte {
	return wat.MustAssemble(scriptable(fmt.Sprintf(`(func $heartbeat (export "canister_heartbeat") (call $hook (i32.const %d)))`, HookHeartbeat)))
}

// ScriptablePersistent is the scriptable canister that keeps its heap over upgrades that
// ask for it (the custom section of enhanced orthogonal persistence).
func ScriptablePersistent() []byte {
	return wat.MustAssemble(scriptable(`(@custom "icp:private enhanced-orthogonal-persistence" "")`))
}

func scriptable(extra string) string {
	var ops strings.Builder
	for _, op := range operations {
		fmt.Fprintf(&ops, "(func $op%d %s)\n(elem (i32.const %d) $op%d)\n", op.code, op.body, op.code, op.code)
	}
	names := strings.NewReplacer(
		"STACKEND", fmt.Sprint(stackEnd), "SCRATCH", fmt.Sprint(scratch), "HOOKS", fmt.Sprint(hooksBase), "HEAPBASE", fmt.Sprint(heapBase),
		"HEAPBYTES", fmt.Sprint(HeapBytes), "SLOTS", fmt.Sprint(slotsBase), "SLOTBYTES", fmt.Sprint(slotBytes), "SLOTEND", fmt.Sprint(arenaBase),
		"ARENA", fmt.Sprint(arenaBase), "PAGES", fmt.Sprint(memoryPages), "HOOKCOUNT", fmt.Sprint(hookCount),
		"ONREPLY", fmt.Sprint(onReply), "ONREJECT", fmt.Sprint(onReject), "ONCLEANUP", fmt.Sprint(onCleanup),
		"TIMERHOOK", fmt.Sprint(HookTimer), "PREHOOK", fmt.Sprint(HookPreUpgrade), "LOWHOOK", fmt.Sprint(HookLowMemory), "INSPECTHOOK", fmt.Sprint(HookInspect),
	)
	return "(module\n" + imports + names.Replace(interpreter) + names.Replace(ops.String()) + extra + "\n)"
}

const imports = `
(import "ic0" "msg_arg_data_size" (func $arg_size (result i32)))
(import "ic0" "msg_arg_data_copy" (func $arg_copy (param i32 i32 i32)))
(import "ic0" "msg_caller_size" (func $caller_size (result i32)))
(import "ic0" "msg_caller_copy" (func $caller_copy (param i32 i32 i32)))
(import "ic0" "canister_self_size" (func $self_size (result i32)))
(import "ic0" "canister_self_copy" (func $self_copy (param i32 i32 i32)))
(import "ic0" "subnet_self_size" (func $subnet_size (result i32)))
(import "ic0" "subnet_self_copy" (func $subnet_copy (param i32 i32 i32)))
(import "ic0" "msg_method_name_size" (func $method_size (result i32)))
(import "ic0" "msg_method_name_copy" (func $method_copy (param i32 i32 i32)))
(import "ic0" "msg_reject_code" (func $reject_code (result i32)))
(import "ic0" "msg_reject_msg_size" (func $reject_size (result i32)))
(import "ic0" "msg_reject_msg_copy" (func $reject_copy (param i32 i32 i32)))
(import "ic0" "msg_deadline" (func $deadline (result i64)))
(import "ic0" "msg_reply_data_append" (func $reply_append (param i32 i32)))
(import "ic0" "msg_reply" (func $reply))
(import "ic0" "msg_reject" (func $reject (param i32 i32)))
(import "ic0" "accept_message" (func $accept_message))
(import "ic0" "trap" (func $trap (param i32 i32)))
(import "ic0" "debug_print" (func $print (param i32 i32)))
(import "ic0" "stable64_size" (func $stable_size (result i64)))
(import "ic0" "stable64_grow" (func $stable_grow (param i64) (result i64)))
(import "ic0" "stable64_write" (func $stable_write (param i64 i64 i64)))
(import "ic0" "stable64_read" (func $stable_read (param i64 i64 i64)))
(import "ic0" "time" (func $time (result i64)))
(import "ic0" "global_timer_set" (func $timer_set (param i64) (result i64)))
(import "ic0" "certified_data_set" (func $certify (param i32 i32)))
(import "ic0" "data_certificate_present" (func $certificate_present (result i32)))
(import "ic0" "data_certificate_size" (func $certificate_size (result i32)))
(import "ic0" "data_certificate_copy" (func $certificate_copy (param i32 i32 i32)))
(import "ic0" "performance_counter" (func $counter (param i32) (result i64)))
(import "ic0" "canister_version" (func $version (result i64)))
(import "ic0" "canister_status" (func $status (result i32)))
(import "ic0" "is_controller" (func $is_controller (param i32 i32) (result i32)))
(import "ic0" "in_replicated_execution" (func $replicated (result i32)))
(import "ic0" "canister_cycle_balance128" (func $balance (param i32)))
(import "ic0" "canister_liquid_cycle_balance128" (func $liquid (param i32)))
(import "ic0" "msg_cycles_available128" (func $available (param i32)))
(import "ic0" "msg_cycles_refunded128" (func $refunded (param i32)))
(import "ic0" "msg_cycles_accept128" (func $accept (param i64 i64 i32)))
(import "ic0" "cycles_burn128" (func $burn (param i64 i64 i32)))
(import "ic0" "call_new" (func $call_new (param i32 i32 i32 i32 i32 i32 i32 i32)))
(import "ic0" "call_data_append" (func $call_data (param i32 i32)))
(import "ic0" "call_on_cleanup" (func $call_cleanup (param i32 i32)))
(import "ic0" "call_cycles_add128" (func $call_cycles (param i64 i64)))
(import "ic0" "call_with_best_effort_response" (func $call_timeout (param i32)))
(import "ic0" "call_perform" (func $call_perform (result i32)))
`

// interpreter is the machine that runs programs.
//
// A slot is a word that is 1 while it is in use, the lengths of the reply, the reject and the
// cleanup program, and the programs. A hook is a length and a program.
const interpreter = `
(memory PAGES)
(table 131 funcref)
(type $closure (func (param i32)))
(type $operation (func))
(global $sp (mut i32) (i32.const 0))
(global $ip (mut i32) (i32.const 0))
(global $end (mut i32) (i32.const 0))
(global $arena (mut i32) (i32.const ARENA))
(global $pending (mut i32) (i32.const 0))
(global $next (mut i32) (i32.const SLOTS))
(global $register (mut i64) (i64.const 0))

(func $push (param $v i64)
  (if (i32.ge_u (global.get $sp) (i32.const STACKEND)) (then (unreachable)))
  (i64.store (global.get $sp) (local.get $v))
  (global.set $sp (i32.add (global.get $sp) (i32.const 8))))
(func $pop (result i64)
  (if (i32.eqz (global.get $sp)) (then (unreachable)))
  (global.set $sp (i32.sub (global.get $sp) (i32.const 8)))
  (i64.load (global.get $sp)))
(func $push_blob (param $p i32) (param $n i32)
  (call $push (i64.or (i64.shl (i64.extend_i32_u (local.get $p)) (i64.const 32)) (i64.extend_i32_u (local.get $n)))))
(func $address (param $b i64) (result i32) (i32.wrap_i64 (i64.shr_u (local.get $b) (i64.const 32))))
(func $length (param $b i64) (result i32) (i32.wrap_i64 (local.get $b)))
(func $alloc (param $n i32) (result i32) (local $p i32) (local $have i32)
  (local.set $p (global.get $arena))
  (if (i32.gt_u (local.get $n) (i32.const 0x10000000)) (then (unreachable)))
  (global.set $arena (i32.add (local.get $p) (local.get $n)))
  (local.set $have (i32.shl (memory.size) (i32.const 16)))
  (if (i32.gt_u (global.get $arena) (local.get $have)) (then
    (if (i32.eq (i32.const -1) (memory.grow (i32.shr_u (i32.add (i32.sub (global.get $arena) (local.get $have)) (i32.const 65535)) (i32.const 16))))
      (then (unreachable)))))
  (local.get $p))
(func $word (result i32)
  (if (i32.gt_u (i32.add (global.get $ip) (i32.const 4)) (global.get $end)) (then (unreachable)))
  (i32.load (global.get $ip))
  (global.set $ip (i32.add (global.get $ip) (i32.const 4))))
(func $skip (param $n i32)
  (if (i32.gt_u (local.get $n) (i32.sub (global.get $end) (global.get $ip))) (then (unreachable)))
  (global.set $ip (i32.add (global.get $ip) (local.get $n))))
(func $interpret (local $at i32)
  (block $over (loop $more
    (br_if $over (i32.ge_u (global.get $ip) (global.get $end)))
    (local.set $at (global.get $ip))
    (global.set $ip (i32.add (local.get $at) (i32.const 1)))
    (call_indirect (type $operation) (i32.load8_u (local.get $at)))
    (br $more))))
(func $body (param $p i32) (param $n i32) (local $ip i32) (local $end i32)
  (local.set $ip (global.get $ip)) (local.set $end (global.get $end))
  (global.set $ip (local.get $p)) (global.set $end (i32.add (local.get $p) (local.get $n)))
  (call $interpret)
  (global.set $ip (local.get $ip)) (global.set $end (local.get $end)))
(func $run (param $p i32) (param $n i32)
  (global.set $sp (i32.const 0))
  (global.set $pending (i32.const 0))
  (call $body (local.get $p) (local.get $n))
  (call $free (global.get $pending)))
(func $fresh (global.set $arena (i32.const ARENA)))
(func $free (param $slot i32) (if (local.get $slot) (then (i32.store (local.get $slot) (i32.const 0)))))
(func $argument (local $n i32) (local $p i32)
  (call $fresh)
  (local.set $n (call $arg_size))
  (local.set $p (call $alloc (local.get $n)))
  (call $arg_copy (local.get $p) (i32.const 0) (local.get $n))
  (call $run (local.get $p) (local.get $n)))
(func $hook (param $kind i32) (local $p i32)
  (call $fresh)
  (local.set $p (i32.add (i32.const HOOKS) (i32.mul (local.get $kind) (i32.const SLOTBYTES))))
  (call $run (i32.add (local.get $p) (i32.const 4)) (i32.load (local.get $p))))
(func $take (result i32) (local $tries i32) (local $slot i32)
  (loop $again
    (if (i32.ge_u (local.get $tries) (i32.const 512)) (then (unreachable)))
    (local.set $tries (i32.add (local.get $tries) (i32.const 1)))
    (local.set $slot (global.get $next))
    (global.set $next (i32.add (local.get $slot) (i32.const SLOTBYTES)))
    (if (i32.ge_u (global.get $next) (i32.const SLOTEND)) (then (global.set $next (i32.const SLOTS))))
    (br_if $again (i32.load (local.get $slot))))
  (i32.store (local.get $slot) (i32.const 1))
  (i64.store offset=4 (local.get $slot) (i64.const 0))
  (i32.store offset=12 (local.get $slot) (i32.const 0))
  (local.get $slot))
;; keep appends a program to a slot and notes its length in the given field
(func $keep (param $slot i32) (param $field i32) (param $program i64) (local $used i32) (local $n i32)
  (local.set $used (i32.add (i32.add (i32.load offset=4 (local.get $slot)) (i32.load offset=8 (local.get $slot))) (i32.load offset=12 (local.get $slot))))
  (local.set $n (call $length (local.get $program)))
  (if (i32.gt_u (local.get $n) (i32.sub (i32.const 1000) (local.get $used))) (then (unreachable)))
  (i32.store (i32.add (local.get $slot) (local.get $field)) (local.get $n))
  (memory.copy (i32.add (i32.add (local.get $slot) (i32.const 16)) (local.get $used)) (call $address (local.get $program)) (local.get $n)))
(func $on_reply (param $slot i32)
  (call $fresh)
  (call $run (i32.add (local.get $slot) (i32.const 16)) (i32.load offset=4 (local.get $slot)))
  (call $free (local.get $slot)))
(func $on_reject (param $slot i32)
  (call $fresh)
  (call $run (i32.add (i32.add (local.get $slot) (i32.const 16)) (i32.load offset=4 (local.get $slot))) (i32.load offset=8 (local.get $slot)))
  (call $free (local.get $slot)))
(func $on_cleanup (param $slot i32)
  (call $fresh)
  (call $run
    (i32.add (i32.add (i32.add (local.get $slot) (i32.const 16)) (i32.load offset=4 (local.get $slot))) (i32.load offset=8 (local.get $slot)))
    (i32.load offset=12 (local.get $slot)))
  (call $free (local.get $slot)))
(elem (i32.const ONREPLY) $on_reply $on_reject $on_cleanup)
(func $user_heap (param $offset i64) (param $n i32) (result i32)
  (if (i64.gt_u (i64.add (local.get $offset) (i64.extend_i32_u (local.get $n))) (i64.const HEAPBYTES)) (then (unreachable)))
  (if (i64.gt_u (local.get $offset) (i64.const HEAPBYTES)) (then (unreachable)))
  (i32.add (i32.const HEAPBASE) (i32.wrap_i64 (local.get $offset))))
(func $amount (local $p i32)
  (local.set $p (call $alloc (i32.const 16)))
  (memory.copy (local.get $p) (i32.const SCRATCH) (i32.const 16))
  (call $push_blob (local.get $p) (i32.const 16)))
(func $update (export "canister_update run") (call $argument))
(func $query (export "canister_query query") (call $argument))
(func $ask (export "canister_composite_query ask") (call $argument))
(func $init (export "canister_init") (call $argument))
(func $post_upgrade (export "canister_post_upgrade") (call $argument))
(func $pre_upgrade (export "canister_pre_upgrade") (call $hook (i32.const PREHOOK)))
(func $timer (export "canister_global_timer") (call $hook (i32.const TIMERHOOK)))
(func $low_memory (export "canister_on_low_wasm_memory") (call $hook (i32.const LOWHOOK)))
(func $inspect (export "canister_inspect_message")
  (if (i32.load (i32.add (i32.const HOOKS) (i32.mul (i32.const INSPECTHOOK) (i32.const SLOTBYTES))))
    (then (call $hook (i32.const INSPECTHOOK)))
    (else (call $accept_message))))
`
