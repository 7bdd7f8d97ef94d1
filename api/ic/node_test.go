package ic

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
	"github.com/canisterd/canisterd/test/canistertest"
)

// running is a node as the front end's network, with the clock of the machine.
type running struct{ *node.Node }

func (r running) View() api.View { return api.Show(r.Node.View()) }

func (r running) Clock() api.Clock {
	now := uint64(time.Now().UnixNano())
	return api.Clock{Now: now, Wall: now}
}

func (r running) Submit(ctx context.Context, in *api.Ingress) (api.Receipt, error) {
	receipt, err := r.Node.Submit(ctx, in)
	if errors.Is(err, node.ErrClosed) {
		err = api.Stopped.Refuse(err)
	}
	return receipt, err
}

// startNode serves a node with the subnets whose time is now.
func startNode(t testing.TB, subnets ...replica.SubnetConfig) (running, string) {
	t.Helper()
	n, err := node.Start(node.Config{Network: replica.Config{Start: uint64(time.Now().UnixNano()), Subnets: subnets, Engine: canistertest.NewEngine(t)}})
	if err != nil {
		t.Fatal(err)
	}
	r := running{n}
	server := httptest.NewServer(New(r, Info{Version: "test"}))
	t.Cleanup(func() {
		server.Close()
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, server.URL
}
