package workqueue_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/explore/campaign"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/property"
	"github.com/canisterd/canisterd/explore/workqueue"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

// theft is the exploration of withdrawals of 100 from an account of 100 at the bank of examples/doublewithdraw.
func theft(t testing.TB, withdrawals, runs int) *campaign.Config {
	t.Helper()
	c, _ := theftAt(t, withdrawals, runs)
	return c
}

// theftAt is theft with the id of the vault.
func theftAt(t testing.TB, withdrawals, runs int) (c *campaign.Config, vault principal.Principal) {
	t.Helper()
	s := real.NewStage(t, replica.Config{Engine: canistertest.NewEngine(t), Subnets: []replica.SubnetConfig{{Nodes: 13}}})
	for _, name := range []string{"vault", "bank"} {
		module, err := os.ReadFile(filepath.Join("../../examples/doublewithdraw", name+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		s.Create(name, 0, 1_000_000_000_000_000)
		s.Install(name, real.Install, module, encode(t))
	}
	s.Call("bank", "open", encode(t, s.ID("vault").String()))
	s.Call("bank", "deposit", encode(t, candid.NatOf(100)))
	names := &property.Names{Canister: func(name string) (principal.Principal, bool) {
		id, found := s.Names[name]
		return id, found
	}}
	holds, err := names.ParseInvariant("vault paidOut <= 100")
	if err != nil {
		t.Fatal(err)
	}
	c = &campaign.Config{Properties: []property.Property{holds}, Seed: 1, Faults: 2, Runs: runs}
	c.Setup = harness.Setup{Base: s.Network, Name: func(id principal.Principal) string {
		for name, known := range s.Names {
			if known == id {
				return name
			}
		}
		return ""
	}}
	for range withdrawals {
		in := s.Ingress(s.ID("bank"), s.ID("bank"), "withdraw", encode(t, candid.NatOf(100)))
		c.Setup.Operations = append(c.Setup.Operations, harness.Operation{Title: "bank.withdraw(100)", Message: *in})
	}
	return c, s.ID("vault")
}

func encode(t testing.TB, values ...any) []byte {
	t.Helper()
	arg, err := candid.Marshal(values...)
	if err != nil {
		t.Fatal(err)
	}
	return arg
}

// told is a report as text.
func told(c *campaign.Config, r *campaign.Report) string {
	var all strings.Builder
	fmt.Fprintf(&all, "%d runs, %d messages, %d classes, exhausted %t %t\n", r.Runs, r.Messages, r.Classes, r.Exhausted, r.ExhaustedFaults)
	for _, f := range r.Findings {
		fmt.Fprintf(&all, "%s, run %d, %s, %d others\n%s", f.Property, f.Run, f.Phase, f.Others, f.Explain(&c.Setup))
	}
	fmt.Fprintln(&all, r.Operations, r.Awaits)
	return all.String()
}

// run explores, here or by a pool.
func run(t testing.TB, c *campaign.Config, pool campaign.Pool) string {
	t.Helper()
	c.Pool = pool
	r, err := campaign.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return told(c, r)
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
