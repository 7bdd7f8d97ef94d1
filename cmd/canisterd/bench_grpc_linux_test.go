package main

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest"
)

// BenchmarkRatioUpdatesOf64ClientsOverGRPC is the processor time of the process for an update of a Motoko counter, while 64
// clients wait for answers; the floor is another process with the same update in process, made by a handler of grpc-go's
// server that does nothing else (updatesAlone).
//
// The floor was an empty RPC of the same server, 16 µs: that is the frozen floor, whose ratio was 2.8 with a limit of 3.5.
// Twice an empty RPC is the bound, because the new floor takes 33 µs: 21 µs of grpc-go, whose messages are longer than those
// of an empty RPC, and 12 µs of the message and its round (perf record -g of the process). Of the 8 µs above the floor, 2 are
// the contexts of an RPC and the count of its memory, 2 the parse of the call. It measures 1.22 to 1.29; the limit of 1.5 is 3.1
// of the old floor.
func BenchmarkRatioUpdatesOf64ClientsOverGRPC(b *testing.B) {
	s := start(b, b.TempDir())
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), asFloor+"="+b.TempDir())
	floor, says := serve(b, command)
	measured, least := update(s, s.Calls), update(floor, controlv1.NewCallsClient(connect(b, says.Control)))
	mean := ratio.CompareTimed(b, 1.5, func() time.Duration { return s.flood(measured) }, func() time.Duration { return floor.flood(least) })
	ratio.ReportFrozen(b, 14_000, mean)
}

// update returns an update of a Motoko counter that was deployed in a process.
func update(in *served, calls controlv1.CallsClient) func() {
	in.Helper()
	call := &controlv1.Call{CanisterId: in.deploy(canistertest.Fixture("counter")), Method: "inc", Argument: &controlv1.Value{Form: &controlv1.Value_Text{Text: "()"}}}
	return func() {
		out, err := calls.Update(context.Background(), &controlv1.UpdateRequest{Call: call})
		if err != nil || out.GetOutcome().GetReply() == nil {
			in.Error(out, err)
		}
	}
}
