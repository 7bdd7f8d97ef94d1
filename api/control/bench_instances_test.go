package control_test

import (
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioAnInstanceIsMadeAndDeleted makes and deletes an instance of a seed, whose keys the daemon has.
func BenchmarkRatioAnInstanceIsMadeAndDeleted(b *testing.B) {
	makeAndDelete(b, 3, &controlv1.CreateInstanceRequest{Instance: "x", Seed: []byte("x")})
}

// BenchmarkRatioAnInstanceWithKeysOfItsOwn makes and deletes an instance without a seed: two keys of subnets are
// derived.
func BenchmarkRatioAnInstanceWithKeysOfItsOwn(b *testing.B) {
	makeAndDelete(b, 4, &controlv1.CreateInstanceRequest{Instance: "x"})
}

// makeAndDelete compares making and deleting an instance with two RPCs that do nothing.
func makeAndDelete(b *testing.B, limit float64, request *controlv1.CreateInstanceRequest) {
	d, err := daemon.Start(b.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	conn, err := grpc.NewClient(d.ControlAddress(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	instances, health := controlv1.NewInstancesClient(conn), healthv1.NewHealthClient(conn)
	makeOne := func() {
		if _, err := instances.CreateInstance(b.Context(), request); err != nil {
			b.Fatal(err)
		}
		if _, err := instances.DeleteInstance(b.Context(), &controlv1.DeleteInstanceRequest{Instance: "x"}); err != nil {
			b.Fatal(err)
		}
	}
	empty := func() {
		for range 2 {
			if _, err := health.Check(b.Context(), &healthv1.HealthCheckRequest{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	ratio.Compare(b, limit, ratio.Each(makeOne), ratio.Each(empty))
}
