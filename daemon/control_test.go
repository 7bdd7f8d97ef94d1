package daemon

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
)

// dialed is a connection to the control API of a daemon.
func dialed(t *testing.T, d *Daemon) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(strings.TrimPrefix(d.URL(), "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestTheControlAPIIsServedWhereHTTPIs(t *testing.T) {
	d := started(t, Config{})
	health, err := healthv1.NewHealthClient(dialed(t, d)).Check(eventually.Context(t), &healthv1.HealthCheckRequest{Service: "canisterd.control.v1.Instances"})
	if err != nil || health.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		t.Errorf("health: %v (%v)", health, err)
	}
	response, err := http.Get(d.URL() + "/api/v2/status")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("status: %v (%v)", response, err)
	} else {
		response.Body.Close()
	}
}

func TestReflectionListsTheServices(t *testing.T) {
	d := started(t, Config{})
	stream, err := reflectionv1.NewServerReflectionClient(dialed(t, d)).ServerReflectionInfo(eventually.Context(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}}); err != nil {
		t.Fatal(err)
	}
	listed, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range listed.GetListServicesResponse().GetService() {
		names = append(names, s.GetName())
	}
	for _, name := range []string{"Instances", "Canisters", "Calls", "Clock", "Messages", "Events", "Explorer", "Profiler", "Coverage"} {
		if !slices.Contains(names, "canisterd.control.v1."+name) {
			t.Errorf("%s is not among %v", name, names)
		}
	}
}

func TestInstancesHaveTheirPathsUnderOneAddress(t *testing.T) {
	d := started(t, Config{})
	for path, want := range map[string]int{
		"/instances/default/api/v2/status": http.StatusOK,
		"/instances/other/api/v2/status":   http.StatusNotFound,
		"/instances/default":               http.StatusBadRequest, // a page without a canister
	} {
		response, err := http.Get(d.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, response.StatusCode, want)
		}
	}
}
