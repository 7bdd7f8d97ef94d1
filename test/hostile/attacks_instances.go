package main

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// tickingText is a canister with a timer of a millisecond.
const tickingText = `(module
	(import "ic0" "global_timer_set" (func $timer (param i64) (result i64)))
	(import "ic0" "time" (func $time (result i64)))
	(func $arm (drop (call $timer (i64.add (call $time) (i64.const 1000000)))))
	(func (export "canister_global_timer") (call $arm))
	(func (export "canister_init") (call $arm)))`

// instanceAttacks let what the daemon keeps for each instance grow.
func instanceAttacks() []attack { return []attack{forkedTimers()} }

// forkedTimers lets the timers of many forks fire, second by second of their networks.
func forkedTimers() attack {
	const source, forks, pause = "source", 200, 10 * time.Millisecond
	forkName := func(n int64) string { return fmt.Sprintf("fork-%d", n%forks) }
	return attack{
		name: "forked-timers", limits: standard,
		why: "200 forks with a timer of a millisecond pass second after second; the events of all instances",
		prepare: func(ctx context.Context, s *stage) error {
			manual := &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}
			s.made = append(s.made, source)
			if _, err := s.control.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{Instance: source, Pacing: manual}); err != nil {
				return err
			}
			if _, err := s.deployTo(ctx, source, assemble(tickingText)); err != nil {
				return err
			}
			for n := range int64(forks) {
				s.made = append(s.made, forkName(n))
				if _, err := s.control.Instances.ForkInstance(ctx, &controlv1.ForkInstanceRequest{Instance: source, Name: forkName(n)}); err != nil {
					return err
				}
			}
			return nil
		},
		run: func(ctx context.Context, s *stage) {
			s.keep(ctx, 1, pause, func(ctx context.Context, _ int) error {
				_, err := s.control.Clock.AdvanceTime(ctx, &controlv1.AdvanceTimeRequest{
					Instance: forkName(s.requests.Load()), By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(time.Second)},
				})
				return err
			})
		},
	}
}
