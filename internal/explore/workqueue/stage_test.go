package workqueue_test

import (
	"context"
	"io"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/campaigntest"
)

// theft is the exploration of withdrawals of 100 from an account of 100 at the bank of examples/doublewithdraw, with an
// engine of its own, as a worker on another computer has one.
func theft(t testing.TB, withdrawals, runs int) *campaign.Config {
	t.Helper()
	c, _ := theftAt(t, withdrawals, runs)
	return c
}

// theftAt is theft with the id of the vault.
func theftAt(t testing.TB, withdrawals, runs int) (c *campaign.Config, vault principal.Principal) {
	t.Helper()
	s, c := campaigntest.Theft(t, replica.Config{}, "bank", withdrawals)
	c.Faults, c.Runs = 2, runs
	return c, s.ID("vault")
}

// run explores, here or by a pool.
func run(t testing.TB, c *campaign.Config, pool campaign.Pool) string {
	t.Helper()
	c.Pool = pool
	r, err := campaign.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return campaigntest.Text(c, r)
}

// explored is the end of an exploration.
type explored struct {
	report *campaign.Report
	err    error
}

// explore explores on another goroutine.
func explore(c *campaign.Config) <-chan explored {
	ended := make(chan explored, 1)
	go func() {
		report, err := campaign.Run(c)
		ended <- explored{report, err}
	}()
	return ended
}

// offered is a campaign whose base is the configuration that the host has already.
var offered = &workqueue.Campaign{Version: "1", Description: []byte("theft"), Base: func(to io.Writer) error {
	_, err := io.WriteString(to, "a base")
	return err
}}

// begin begins a campaign that ends with the test.
func begin(t testing.TB, server string) *workqueue.Coordinator {
	t.Helper()
	q, err := workqueue.Begin(t.Context(), server, offered)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// work runs a worker that ends with its server, or with the test. What it comes to is read from the channel.
func work(t testing.TB, server string, slots int, c *campaign.Config) <-chan error {
	t.Helper()
	return workAs(t, server, &workqueue.Host{Version: "1", Slots: slots, Open: func(description []byte, _ string, base func() (io.ReadCloser, error)) (*campaign.Worker, error) {
		file, err := base()
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if text, err := io.ReadAll(file); err != nil || string(text) != "a base" || string(description) != "theft" {
			t.Errorf("the worker is offered %q, %q, %v", description, text, err)
		}
		return campaign.NewWorker(c)
	}})
}

func workAs(t testing.TB, server string, h *workqueue.Host) <-chan error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	var group sync.WaitGroup
	group.Go(func() { ended <- workqueue.Work(ctx, server, h) })
	t.Cleanup(func() { cancel(); group.Wait() })
	return ended
}
