package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
)

// messageText has methods that give, take, log and send as much as they can.
const messageText = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "debug_print" (func $print (param i32 i32)))
	(import "ic0" "canister_self_size" (func $size (result i32)))
	(import "ic0" "canister_self_copy" (func $copy (param i32 i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory 32)
	(data (i32.const 100) "fan")
	(table funcref (elem $nothing))
	(func $nothing (param i32))
	(func $big (call $append (i32.const 0) (i32.const 2000000)) (call $reply))
	(export "canister_update big" (func $big))
	(export "canister_query big_asked" (func $big))
	(func (export "canister_update wait") (loop $again (br $again)))
	(func (export "canister_update log") (loop $again (call $print (i32.const 0) (i32.const 32000)) (br $again)))
	(func (export "canister_update log_short") (loop $again (call $print (i32.const 0) (i32.const 10)) (br $again)))
	;; fan calls itself 500 times, and each of the calls does the same.
	(func (export "canister_update fan") (local $left i32)
		(call $copy (i32.const 0) (i32.const 0) (call $size))
		(local.set $left (i32.const 500))
		(loop $next
			(call $new (i32.const 0) (call $size) (i32.const 100) (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
			(drop (call $perform))
			(br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
		(call $reply)))`

// messageAttacks send and answer as much as the interface lets them.
func messageAttacks() []attack {
	return []attack{
		messages("reply-2mb", "updates that reply 2 MB, kept for certificates for minutes", 4, 20*time.Millisecond, asyncCall, "big", 0),
		messages("reply-2mb-query", "queries that reply 2 MB", 4, 20*time.Millisecond, query, "big_asked", 0),
		messages("argument-2mb", "calls with arguments of 1.9 MB that wait behind an endless update", 4, 20*time.Millisecond, asyncCall, "wait", 1_900_000),
		messages("log", "updates that log 32 KB without end", 4, time.Second, asyncCall, "log", 0),
		messages("log-short", "updates that log 10 bytes without end", 4, time.Second, asyncCall, "log_short", 0),
		messages("fan-out", "calls that make 500 calls each, without end", 4, 50*time.Millisecond, asyncCall, "fan", 0),
		bombs(),
	}
}

func messages(name, why string, inFlight int, pause time.Duration, path, method string, argBytes int) attack {
	var canisters []principal.Principal
	arg := bytes.Repeat([]byte{7}, argBytes)
	return attack{
		name: name, why: why, limits: standard,
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.deploy(ctx, messageText, 4)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, inFlight, pause, func(ctx context.Context, worker int) error {
				return s.call(ctx, path, canisters[worker%len(canisters)], method, arg)
			})
		},
	}
}

// bombs sends bodies that promise more than they have, or are more than they seem.
func bombs() attack {
	const size = 4 << 20
	tag := "\xd9\xd9\xf7"
	bodies := [][]byte{
		[]byte(tag + strings.Repeat("\x81", size)),                                                                  // arrays in arrays
		[]byte(tag + strings.Repeat("\xa1\x61a", size/3)),                                                           // maps in maps
		[]byte(tag + "\x9b\xff\xff\xff\xff\xff\xff\xff\xff" + strings.Repeat("\x00", size)),                         // an array of 2^64 - 1
		[]byte(tag + "\xa1\x67content\x5b\x7f\xff\xff\xff\xff\xff\xff\xff"),                                         // bytes of 2^63 - 1
		[]byte(tag + "\xa1\x67content\x9a\x00\x40\x00\x00" + strings.Repeat("\x60", size)),                          // four million texts
		[]byte(tag + "\xa1\x67content\xbf" + strings.Repeat("\x61a\x00", size/3)),                                   // a map with the same name again and again
		[]byte(tag + "\xa1\x67content" + strings.Repeat("\xd9\xd9\xf7", size/3) + "\x00"),                           // tags of tags
		[]byte(tag + "\xa1\x67content\x5f" + strings.Repeat("\x41a", size/2) + "\xff"),                              // bytes of many pieces
		[]byte(tag + "\xa2\x67content\xa0\x71sender_delegation\x9a\x00\x40\x00\x00" + strings.Repeat("\xa0", size)), // four million delegations
	}
	paths := []string{asyncCall, syncCall, query, "/api/v3/canister/%s/read_state"}
	var canisters []principal.Principal
	return attack{
		name: "cbor", limits: standard,
		why: "bodies of 4 MB of nested, endless and lying CBOR; the decoder",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.createMany(ctx, 1)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 8, 10*time.Millisecond, func(ctx context.Context, worker int) error {
				n := int(s.nonces.Add(1))
				return s.post(ctx, fmt.Sprintf(paths[worker%len(paths)], canisters[0]), bodies[n%len(bodies)])
			})
		},
	}
}
