package clone_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioACloneAgainstExportAndImport clones a canister with 256 MiB of stable memory, from one daemon to another
// and with every certificate verified. The floor exports the instance with it to a file and imports that. A turn needs a
// second or two, so that the row is not about 2 GiB: both grow with the memory. A clone also verifies a certificate for
// each slice, so it may take twice the time of the floor; it takes 0.75 of it on two processors.
func BenchmarkRatioACloneAgainstExportAndImport(b *testing.B) {
	from, to := mainnet(b), local(b)
	from.ctx, to.ctx = b.Context(), b.Context() // no limit of a test
	id := from.filled(4096)
	source, _ := from.source(from.url)
	turn := 0
	instance := func() string {
		turn++
		return fmt.Sprintf("turn-%d", turn)
	}
	remove := func(name string) {
		if _, err := to.Instances.DeleteInstance(to.ctx, &controlv1.DeleteInstanceRequest{Instance: name}); err != nil {
			b.Fatal(err)
		}
	}
	cloned := func() time.Duration {
		name, cache := instance(), clone.Cache(filepath.Join(b.TempDir(), "clones"))
		if _, err := to.Instances.CreateInstance(to.ctx, &controlv1.CreateInstanceRequest{Instance: name}); err != nil {
			b.Fatal(err)
		}
		defer remove(name)
		began := time.Now()
		e, err := source.Take(from.ctx, cache, id)
		if err != nil {
			b.Fatal(err)
		}
		if err := source.DownloadTaken(from.ctx, e, untold); err != nil {
			b.Fatal(err)
		}
		into := networks.To(networks.Instance{Daemon: to.Daemon, Name: name}, nil)
		if _, err := into.Load(to.ctx, id, e, clone.LoadOptions{Controller: developer}); err != nil {
			b.Fatal(err)
		}
		took := time.Since(began)
		if _, err := cache.Forget(id); err != nil {
			b.Fatal(err)
		}
		return took
	}
	exported := func() time.Duration {
		name, path := instance(), filepath.Join(b.TempDir(), "exported")
		began := time.Now()
		file, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := from.Export(from.ctx, &controlv1.ExportInstanceRequest{}, file, nil); err != nil {
			b.Fatal(err)
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			b.Fatal(err)
		}
		if _, err := to.Import(to.ctx, &controlv1.ImportOptions{Instance: name}, file, nil); err != nil {
			b.Fatal(err)
		}
		took := time.Since(began)
		remove(name)
		if err := file.Close(); err != nil {
			b.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			b.Fatal(err)
		}
		return took
	}
	ratio.CompareTimed(b, 2, cloned, exported)
}

// BenchmarkRatioABootOfASetAgainstAFork makes an instance and loads a set of three canisters into it, from the snapshots that
// a project keeps. The floor forks an instance that has the set. A fork copies nothing; a boot makes a network with its
// keys and two more subnets, and each canister takes about ten messages: 7 ms on two processors, 45 times a fork, and 80
// times on a busy machine. Tests that need the state more often boot once and fork. The limit is twice the busy ratio.
func BenchmarkRatioABootOfASetAgainstAFork(b *testing.B) {
	from, to := mainnet(b), local(b)
	from.ctx, to.ctx = b.Context(), b.Context() // no limit of a test
	ids := from.chain("SUBNET_KIND_SNS", "SUBNET_KIND_APPLICATION", "SUBNET_KIND_APPLICATION")
	source, _ := from.source(from.url)
	members, err := to.set(source, clone.Cache(filepath.Join(b.TempDir(), "clones"))).Gather(to.ctx, ids[:1])
	if err != nil {
		b.Fatal(err)
	}
	to.load(members)
	remove := func(name string) {
		if _, err := to.Instances.DeleteInstance(to.ctx, &controlv1.DeleteInstanceRequest{Instance: name}); err != nil {
			b.Fatal(err)
		}
	}
	booted := func() time.Duration {
		began := time.Now()
		made, err := to.Instances.CreateInstance(to.ctx, &controlv1.CreateInstanceRequest{})
		if err != nil {
			b.Fatal(err)
		}
		name := made.GetInstance().GetName()
		into := networks.To(networks.Instance{Daemon: to.Daemon, Name: name}, nil)
		for _, m := range slices.Backward(members) {
			if _, err := into.Load(to.ctx, m.Canister, m.Entry, clone.LoadOptions{Controller: developer, Unrecorded: true}); err != nil {
				b.Fatal(err)
			}
		}
		took := time.Since(began)
		remove(name)
		return took
	}
	forked := func() time.Duration {
		began := time.Now()
		made, err := to.Instances.ForkInstance(to.ctx, &controlv1.ForkInstanceRequest{})
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(began)
		remove(made.GetInstance().GetName())
		return took
	}
	ratio.CompareLeast(b, 160, booted, forked)
}
