package instance_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
)

// counting is an instance with a counter, and clients that count.
func counting(b *testing.B, dir string, clients int) func() time.Duration {
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
	subnet := i.Driver().View().SubnetOf(id).ID
	return func() time.Duration {
		const each = 32
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
		return time.Since(begun) / time.Duration(clients*each)
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
	ratio.CompareTimed(b, 2, counting(b, b.TempDir(), 64), counting(b, "", 64))
}

// BenchmarkRatioDurableUpdatesOfAClient is an update of a durable instance by a client that is alone; the floor is the
// same update in memory, and one sync of a file.
func BenchmarkRatioDurableUpdatesOfAClient(b *testing.B) {
	dir := b.TempDir()
	memory, file := counting(b, "", 1), filepath.Join(dir, "file")
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := f.Close(); err != nil {
			b.Error(err)
		}
	})
	ratio.CompareTimed(b, 2, counting(b, filepath.Join(dir, "state"), 1), func() time.Duration {
		const syncs = 32
		begun := time.Now()
		for range syncs {
			_, err := f.Write(make([]byte, 512))
			if err = errors.Join(err, f.Sync()); err != nil {
				b.Fatal(err)
			}
		}
		return memory() + time.Since(begun)/syncs
	})
}
