package control_test

import (
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/daemon/bench/ratio"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func BenchmarkRatioAnInstanceIsMadeAndDeleted(b *testing.B) {
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
	life := func() {
		if _, err := instances.CreateInstance(b.Context(), &controlv1.CreateInstanceRequest{Instance: "x"}); err != nil {
			b.Fatal(err)
		}
		if _, err := instances.DeleteInstance(b.Context(), &controlv1.DeleteInstanceRequest{Instance: "x"}); err != nil {
			b.Fatal(err)
		}
	}
	// The floor is two RPCs that do nothing.
	empty := func() {
		for range 2 {
			if _, err := health.Check(b.Context(), &healthv1.HealthCheckRequest{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	ratio.Compare(b, 6, ratio.Each(life), ratio.Each(empty))
}
