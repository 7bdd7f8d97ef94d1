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

// syncs are writes of some bytes to a file, each followed by a sync. It returns the mean time.
func syncs(b *testing.B, size int) func() time.Duration {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "file"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := f.Close(); err != nil {
			b.Error(err)
		}
	})
	return func() time.Duration {
		const count = 32
		begun := time.Now()
		for range count {
			_, err := f.Write(make([]byte, size))
			if err = errors.Join(err, f.Sync()); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(begun) / count
	}
}

// BenchmarkRatioDurableUpdatesOf64Clients is an update of a durable instance that 64 clients write to, each after its
// answer is on disk; the floor is the same update in memory, and its share of a sync for all clients. The limit of 2 is that of
// the row for one client: updates wait for the disk while a batch is written, so both parts of the floor add up.
func BenchmarkRatioDurableUpdatesOf64Clients(b *testing.B) {
	const clients = 64
	memory, disk := counting(b, "", clients), syncs(b, 8192)
	ratio.CompareTimed(b, 2, counting(b, b.TempDir(), clients), func() time.Duration { return memory() + disk()/clients })
}

// BenchmarkRatioDurableUpdatesOfAClient is an update of a durable instance by a client that is alone; the floor is the
// same update in memory, and one sync of a file.
func BenchmarkRatioDurableUpdatesOfAClient(b *testing.B) {
	memory, disk := counting(b, "", 1), syncs(b, 512)
	ratio.CompareTimed(b, 2, counting(b, b.TempDir(), 1), func() time.Duration { return memory() + disk() })
}
