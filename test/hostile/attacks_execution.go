package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
)

// spinText loops without end wherever it is called.
const spinText = `(module
	(memory 1)
	(func $spin (loop $again (br $again)))
	(export "canister_update spin" (func $spin))
	(export "canister_query ask" (func $spin)))`

// hookText is spinText for an entry point that the system calls.
func hookText(export string) string {
	return fmt.Sprintf(`(module (memory 1)
		(func (export "%s") (loop $again (br $again)))
		(func (export "canister_update any")))`, export)
}

// timerText arms its timer when it is installed; the timer loops without end.
const timerText = `(module
	(import "ic0" "global_timer_set" (func $set (param i64) (result i64)))
	(memory 1)
	(func (export "canister_init") (drop (call $set (i64.const 1))))
	(func (export "canister_global_timer") (loop $again (br $again))))`

// cleanupText calls itself; the callback of the reply traps, and its cleanup closure loops
// without end.
const cleanupText = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "canister_self_size" (func $size (result i32)))
	(import "ic0" "canister_self_copy" (func $copy (param i32 i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_on_cleanup" (func $cleanup (param i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory 1)
	(data (i32.const 100) "answer")
	(table funcref (elem $trap $spin))
	(func $trap (param i32) (unreachable))
	(func $spin (param i32) (loop $again (br $again)))
	(func (export "canister_update answer") (call $reply))
	(func (export "canister_update begin")
		(call $copy (i32.const 0) (i32.const 0) (call $size))
		(call $new (i32.const 0) (call $size) (i32.const 100) (i32.const 6) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
		(call $cleanup (i32.const 1) (i32.const 0))
		(drop (call $perform))))`

// recurseText recurses until it traps, with small and with large frames.
var recurseText = `(module
	(memory 1)
	(func $small (param i32) (result i32) (i32.add (i32.const 1) (call $small (i32.add (local.get 0) (i32.const 1)))))
	(func $large (param i64) (result i64) (local ` + strings.Repeat("i64 ", 200) + `) ` + largeFrame() + `)
	(func (export "canister_update small") (drop (call $small (i32.const 0))))
	(func (export "canister_update large") (drop (call $large (i64.const 0))))
	(func (export "canister_query ask") (drop (call $small (i32.const 0)))))`

// largeFrame needs all 200 locals after the call, so that they lie in the frame.
func largeFrame() string {
	var body strings.Builder
	for i := 1; i <= 200; i++ {
		fmt.Fprintf(&body, "(local.set %d (i64.mul (local.get 0) (i64.const %d)))", i, i)
	}
	sum := "(call $large (i64.add (local.get 0) (i64.const 1)))"
	for i := 1; i <= 200; i++ {
		sum = fmt.Sprintf("(i64.add %s (local.get %d))", sum, i)
	}
	return body.String() + sum
}

// many is how many endless executions an attack has under way.
const many = 32

// executionAttacks let canisters compute without end, everywhere where they can.
func executionAttacks() []attack {
	return []attack{
		spinning("update", "one canister has 32 endless updates waiting; the processors and the round", 1, asyncCall, "spin"),
		spinning("updates", "16 canisters run an endless update each; the round and its workers", 16, asyncCall, "spin"),
		spinning("query", "one canister has 32 endless queries under way; the query slots", 1, query, "ask"),
		spinning("queries", "16 canisters run two endless queries each; the query slots", 16, query, "ask"),
		instances(),
		inspecting(),
		initializing(),
		installed("timer", "16 canisters have an endless timer; what runs without being asked", timerText),
		installed("heartbeat", "16 canisters have an endless heartbeat; what runs without being asked", hookText("canister_heartbeat")),
		cleaning(),
		recursing(),
		compiling(),
	}
}

// spinning calls a method of some canisters that does not return.
func spinning(name, why string, count int, path, method string) attack {
	var canisters []principal.Principal
	return attack{
		name: name, why: why, limits: standard,
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.deploy(ctx, spinText, count)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			pause := 10 * time.Millisecond
			if path == asyncCall {
				pause = time.Second // the calls wait in the daemon, not here
			}
			s.keep(ctx, many, pause, func(ctx context.Context, worker int) error {
				return s.call(ctx, path, canisters[worker%count], method, nil)
			})
		},
	}
}

// instances lets several instances be busy at the same time.
func instances() attack {
	const count = 8
	var canisters [count]principal.Principal
	name := func(i int) string { return fmt.Sprintf("busy-%d", i) }
	return attack{
		name: "instances", limits: standard,
		why: "8 instances run two endless updates each; the processors, over all instances",
		prepare: func(ctx context.Context, s *stage) error {
			for i := range canisters {
				other, err := s.makeInstance(ctx, name(i), "", false)
				if err != nil {
					return err
				}
				canisters[i] = other.canister
				for range 2 {
					if canisters[i], err = s.deployTo(ctx, name(i), assemble(spinText)); err != nil {
						return err
					}
				}
			}
			return nil
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 2*count, time.Second, func(ctx context.Context, worker int) error {
				return s.submitTo(ctx, name(worker%count), canisters[worker%count], "spin")
			})
		},
	}
}

// inspecting sends calls whose canister never decides whether it takes them.
func inspecting() attack {
	var canisters []principal.Principal
	return attack{
		name: "inspect", limits: standard,
		why: "32 calls to a canister whose inspect_message is endless; what decides on admission",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.deploy(ctx, hookText("canister_inspect_message"), 1)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, many, 10*time.Millisecond, func(ctx context.Context, _ int) error {
				return s.call(ctx, asyncCall, canisters[0], "any", nil)
			})
		},
	}
}

// initializing installs canisters whose canister_init is endless.
func initializing() attack {
	var canisters []principal.Principal
	return attack{
		name: "init", limits: standard,
		why: "8 installations with an endless canister_init; the management canister's turn",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.createMany(ctx, 8)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			module := assemble(hookText("canister_init"))
			s.keep(ctx, len(canisters), 100*time.Millisecond, func(ctx context.Context, worker int) error {
				return s.installCode(ctx, canisters[worker], module)
			})
		},
	}
}

// installed deploys 16 canisters that begin by themselves.
func installed(name, why, text string) attack {
	return attack{
		name: name, why: why, limits: standard,
		run: func(ctx context.Context, s *stage) {
			if _, err := s.deploy(ctx, text, 16); err == nil {
				<-ctx.Done()
			}
		},
	}
}

// cleaning lets cleanup closures loop.
func cleaning() attack {
	var canisters []principal.Principal
	return attack{
		name: "cleanup", limits: standard,
		why: "8 canisters run an endless cleanup closure each, with the instructions kept for it",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.deploy(ctx, cleanupText, 8)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, len(canisters), time.Second, func(ctx context.Context, worker int) error {
				return s.call(ctx, asyncCall, canisters[worker], "begin", nil)
			})
		},
	}
}

// recursing lets the stacks of guests grow.
func recursing() attack {
	var canisters []principal.Principal
	methods := []string{"small", "large"}
	return attack{
		name: "recursion", limits: standard,
		why: "updates and queries of 4 canisters recurse until they trap; stacks",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.deploy(ctx, recurseText, 4)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 12, 10*time.Millisecond, func(ctx context.Context, worker int) error {
				if worker%3 == 0 {
					return s.call(ctx, query, canisters[worker%4], "ask", nil)
				}
				return s.call(ctx, syncCall, canisters[worker%4], methods[worker%2], nil)
			})
		},
	}
}

// compiling installs modules of some kilobytes that are hard to compile: nested loops that
// all use the same thousand locals. Each is another module, so that no cache knows it.
func compiling() attack {
	var canisters []principal.Principal
	return attack{
		name: "compile", limits: standard,
		why: "4 installations of small modules with 300 nested loops over 1,000 locals; the compiler",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.createMany(ctx, 4)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, len(canisters), 100*time.Millisecond, func(ctx context.Context, worker int) error {
				return s.installCode(ctx, canisters[worker], compileBomb(300, 1000, s.nonces.Add(1)))
			})
		},
	}
}

// compileBomb is a module whose loops are nested so deep and each change all locals.
func compileBomb(loops, locals int, seed uint64) []byte {
	var body strings.Builder
	for i := range locals {
		fmt.Fprintf(&body, "(local.set %d (i32.add (local.get %d) (i32.const 1)))", i, (i+1)%locals)
	}
	text := fmt.Sprintf("(module (func (export \"canister_init\") (local %s) (drop (i64.const %d)) %s %s %s))",
		strings.Repeat("i32 ", locals), seed, strings.Repeat("(loop (br_if 0 (local.get 0)) ", loops), body.String(), strings.Repeat(")", loops))
	return assemble(text)
}

// createMany makes canisters without code in the attacked instance, which anybody controls.
func (s *stage) createMany(ctx context.Context, count int) ([]principal.Principal, error) {
	var all []principal.Principal
	for range count {
		canister, err := s.createIn(ctx, attackedInstance)
		if err != nil {
			return nil, err
		}
		all = append(all, canister)
	}
	return all, nil
}

// installCode installs a module over the HTTP interface, as the anonymous user.
func (s *stage) installCode(ctx context.Context, canister principal.Principal, module []byte) error {
	arg := encode(management.Install{Mode: management.InstallMode{Install: &candid.Null{}}, Canister: canister, Module: module, Arg: []byte("DIDL\x00\x00")})
	return s.manage(ctx, canister, "install_code", arg)
}
