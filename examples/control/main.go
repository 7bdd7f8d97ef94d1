// Command control drives a daemon over its gRPC control API: an instance of its own, a canister with a timer, four
// weeks in a moment, and the story of a call. The same is done in JavaScript (javascript/weeks.mjs) and with grpcurl
// (weeks.sh).
//
//	canisterd start                # in another shell
//	go run ./examples/control
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func main() {
	address := flag.String("daemon", remote.DefaultAddress, "address of the daemon")
	module := flag.String("module", "test/canistertest/fixtures/clock.wasm", "a canister with a recurring timer")
	flag.Parse()
	if err := weeks(context.Background(), *address, *module); err != nil {
		log.Fatal(remote.Text(err))
	}
}

// weeks lets four weeks pass for a canister that ticks once a day.
func weeks(ctx context.Context, address, module string) error {
	daemon, err := remote.Dial(address)
	if err != nil {
		return err
	}
	defer func() { _ = daemon.Close() }() // everything was answered

	// Whatever happens to this process, the instance is gone after it.
	lease, err := daemon.HoldLease(ctx)
	if err != nil {
		return err
	}
	defer lease.Release()
	made, err := daemon.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{
		Lease: lease.ID(), Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL},
	})
	if err != nil {
		return err
	}
	instance := made.GetInstance().GetName()
	canister, err := deploy(ctx, daemon, instance, module)
	if err != nil {
		return err
	}

	call := func(method, arguments string) (string, error) {
		answer, err := daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: instance, Call: &controlv1.Call{
			CanisterId: canister, Method: method, ReplyForm: controlv1.Form_FORM_JSON,
			Argument: &controlv1.Value{Form: &controlv1.Value_Json{Json: arguments}},
		}})
		if err != nil {
			return "", err
		}
		reply, err := remote.Reply(answer.GetOutcome())
		return reply.GetJson(), err
	}
	if _, err := call("start", fmt.Sprintf("[%q]", fmt.Sprint((24*time.Hour).Nanoseconds()))); err != nil {
		return err
	}
	begun := time.Now()
	moved, err := daemon.Clock.AdvanceTime(ctx, &controlv1.AdvanceTimeRequest{
		Instance: instance, By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(28 * 24 * time.Hour)},
	})
	if err != nil {
		return err
	}
	reply, err := call("count", "[]")
	if err != nil {
		return err
	}
	var ticks [1]int // JSON has all results of a method in an array, as it has its arguments
	if err := json.Unmarshal([]byte(reply), &ticks); err != nil {
		return fmt.Errorf("reading the count: %w", err)
	}
	fmt.Printf("four weeks in %s: %d rounds, %d messages, the clock ticked %d times\n",
		time.Since(begun).Round(time.Millisecond), moved.GetRounds(), moved.GetMessages(), ticks[0])

	trace, err := daemon.Events.GetTrace(ctx, &controlv1.GetTraceRequest{
		Instance: instance, Of: &controlv1.GetTraceRequest_Last{Last: true}, Form: controlv1.TraceForm_TRACE_FORM_TEXT, Names: map[string]string{canister: "clock"},
	})
	if err != nil {
		return err
	}
	fmt.Print("\nthe last call:\n" + trace.GetRendered())
	return nil
}

func deploy(ctx context.Context, daemon *remote.Daemon, instance, path string) (string, error) {
	module, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("opening the module: %w", err)
	}
	defer func() { _ = module.Close() }() // it was only read
	created, err := daemon.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{Instance: instance})
	if err != nil {
		return "", err
	}
	_, err = daemon.Install(ctx, &controlv1.InstallHead{Instance: instance, CanisterId: created.GetCanisterId()}, module, nil)
	return created.GetCanisterId(), err
}
