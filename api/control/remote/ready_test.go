package remote

import (
	"errors"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

func TestADaemonIsReadyWhenItServes(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, state := grpc.NewServer(), health.NewServer()
	grpc_health_v1.RegisterHealthServer(server, state)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	d, err := Dial(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if err := d.Ready(t.Context()); err != nil {
		t.Errorf("a daemon that serves: %v", err)
	}
	state.SetServingStatus("", grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	if err := d.Ready(t.Context()); !errors.Is(err, ErrNotReady) {
		t.Errorf("a daemon that stops: %v", err)
	}
}
