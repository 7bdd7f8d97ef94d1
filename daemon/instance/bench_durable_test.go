package instance_test

import (
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/daemon/bench/ratio"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/daemon/instance/instancetest"
	"github.com/canisterd/canisterd/replica"
)

// counting is an instance with a counter, and 64 clients that count.
func counting(b *testing.B, dir string) func() time.Duration {
	b.Helper()
	r := instance.NewRegistry(instance.Config{Wall: time.Now})
	b.Cleanup(func() {
		if err := r.Close(); err != nil {
			b.Error(err)
		}
	})
	i, err := r.Create(b.Context(), &instance.Spec{Journal: dir})
	if err != nil {
		b.Fatal(err)
	}
	id := instancetest.Deploy(b, i, canistertest.Fixture("counter"), nil)
	subnet := i.Node().View().SubnetOf(id).ID
	return func() time.Duration {
		const clients, each = 64, 16
		begun := time.Now()
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for range each {
					update(b, i, id, subnet)
				}
			})
		}
		all.Wait()
		return time.Since(begun) / (clients * each)
	}
}

// update makes one update, and waits until its answer may be shown to its client.
func update(b testing.TB, i *instance.Instance, id, subnet principal.Principal) {
	in := &replica.Ingress{
		Sender: principal.Anonymous, Receiver: id, Effective: id, Method: "inc", Arg: []byte("DIDL\x00\x00"),
		Expiry: i.Backend().Clock().Now + replica.MaxIngressTTL/2,
	}
	_, _ = rand.Read(in.ID[:]) // never fails
	if receipt, err := i.Backend().SubmitAhead(b.Context(), in); err != nil || receipt.Reject != nil {
		b.Errorf("%v, %v", receipt.Reject, err)
		return
	}
	if err := i.Backend().Await(b.Context(), subnet, in.ID); err != nil {
		b.Error(err)
	}
	i.Backend().View()
}

// BenchmarkRatioDurableUpdatesOf64Clients is an update of a durable instance that 64 clients write to, each after its
// answer is on disk; the floor is the same update in memory.
func BenchmarkRatioDurableUpdatesOf64Clients(b *testing.B) {
	ratio.CompareTimed(b, 12, counting(b, b.TempDir()), counting(b, ""))
}
