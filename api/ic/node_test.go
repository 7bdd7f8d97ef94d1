package ic

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
)

// running is a driver as the front end's network, with the clock of the machine.
type running struct{ *driver.Driver }

func (r running) View() api.View { return api.Show(r.Driver.View()) }

func (r running) Clock() api.Clock {
	now := uint64(time.Now().UnixNano())
	return api.Clock{Now: now, Wall: now}
}

func (r running) Submit(ctx context.Context, in *api.Ingress) (api.Receipt, error) {
	receipt, err := r.SubmitAhead(ctx, in, nil)
	return receipt, stopped(err)
}

func (r running) SubmitAwaited(ctx context.Context, in *api.Ingress) (api.Receipt, api.Pending, error) {
	receipt, pending, err := r.Driver.SubmitAwaited(ctx, in, nil)
	if err != nil || receipt != (api.Receipt{}) {
		return receipt, nil, stopped(err)
	}
	return receipt, pending, nil
}

// stopped turns the error of a stopped driver into a refusal.
func stopped(err error) error {
	if errors.Is(err, driver.ErrClosed) {
		return api.Stopped.Refuse(err)
	}
	return err
}

// startNode serves a node with the subnets whose time is now.
func startNode(t testing.TB, subnets ...replica.SubnetConfig) (running, string) {
	t.Helper()
	d, err := driver.Start(driver.Config{Network: replica.Config{Start: uint64(time.Now().UnixNano()), Subnets: subnets, Engine: canistertest.NewEngine(t)}})
	if err != nil {
		t.Fatal(err)
	}
	r := running{d}
	server := httptest.NewServer(New(r, Info{Version: "test"}))
	t.Cleanup(func() {
		server.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, server.URL
}
