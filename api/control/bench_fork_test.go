package control_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// stocked is a canister that writes 107,374 bytes of its heap when it is installed: ten
// thousand of them write 1 GiB.
const stocked = `(module
	(import "ic0" "msg_reply" (func $reply))
	(memory 2)
	(func (export "canister_init") (memory.fill (i32.const 0) (i32.const 1) (i32.const 107374)))
	(func (export "canister_update touch")
		(i32.store (i32.const 0) (i32.const 2))
		(call $reply)))`

// forks is a daemon whose instances are forked over its control API.
type forks struct {
	b         *testing.B
	instances controlv1.InstancesClient
	canisters controlv1.CanistersClient
	calls     controlv1.CallsClient
	module    []byte
	first     map[string]string // canister of each instance
	made      int
	used      time.Duration // the longest time until a fork had answered an update
}

func newForks(b *testing.B) *forks {
	b.Helper()
	_, conn := startBench(b)
	f := &forks{
		b: b, instances: controlv1.NewInstancesClient(conn), canisters: controlv1.NewCanistersClient(conn), calls: controlv1.NewCallsClient(conn),
		first: make(map[string]string),
	}
	var err error
	if f.module, err = wat.Assemble(stocked); err != nil {
		b.Fatal(err)
	}
	return f
}

// instance makes an instance with a number of canisters.
func (f *forks) instance(name string, canisters int) {
	f.b.Helper()
	if _, err := f.instances.CreateInstance(f.b.Context(), &controlv1.CreateInstanceRequest{Instance: name}); err != nil {
		f.b.Fatal(err)
	}
	f.first[name] = f.canister(name)
	const side = 16 // this many at a time
	var several sync.WaitGroup
	for first := range side {
		several.Go(func() {
			for n := first; n < canisters-1; n += side {
				f.canister(name)
			}
		})
	}
	several.Wait()
}

func (f *forks) canister(instance string) (id string) {
	ctx := f.b.Context()
	made, err := f.canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{Instance: instance, Cycles: "1000000000000000000"})
	if err != nil {
		f.b.Error(err)
		return ""
	}
	stream, err := f.canisters.InstallCode(ctx)
	if err != nil {
		f.b.Error(err)
		return ""
	}
	// What a send fails of, the answer says.
	_ = stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Head{Head: &controlv1.InstallHead{Instance: instance, CanisterId: made.GetCanisterId()}}})
	_ = stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Chunk{Chunk: f.module}})
	if _, err := stream.CloseAndRecv(); err != nil {
		f.b.Error(err)
	}
	return made.GetCanisterId()
}

// fork is how long a fork of an instance takes, which answers an update then.
func (f *forks) fork(source string) time.Duration {
	f.made++
	ctx, name := context.Background(), fmt.Sprintf("fork-%d", f.made)
	begin := time.Now()
	if _, err := f.instances.ForkInstance(ctx, &controlv1.ForkInstanceRequest{Instance: source, Name: name}); err != nil {
		f.b.Fatal(err)
	}
	took := time.Since(begin)
	out, err := f.calls.Update(ctx, &controlv1.UpdateRequest{Instance: name, Call: &controlv1.Call{CanisterId: f.first[source], Method: "touch"}})
	if err != nil || out.GetOutcome().GetReply() == nil {
		f.b.Fatal(out, err)
	}
	f.used = max(f.used, time.Since(begin))
	if _, err := f.instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: name}); err != nil {
		f.b.Fatal(err)
	}
	return took
}

// BenchmarkRatioForkOverTheControlAPI is a fork of an instance of 10,000 canisters that have written 1 GiB of heap
// between them; the floor is a fork of an instance of one canister. It reports the slowest of some hundred forks, and
// the slowest with its first update.
func BenchmarkRatioForkOverTheControlAPI(b *testing.B) {
	f := newForks(b)
	f.instance("large", 10_000)
	f.instance("small", 1)
	ratio.CompareTimed(b, 3, func() time.Duration { return f.fork("large") }, func() time.Duration { return f.fork("small") })
	var worst time.Duration
	f.used = 0
	for range 300 {
		worst = max(worst, f.fork("large"))
	}
	b.ReportMetric(float64(worst)/1e6, "worst-ms")
	b.ReportMetric(float64(f.used)/1e6, "worst-used-ms")
}
