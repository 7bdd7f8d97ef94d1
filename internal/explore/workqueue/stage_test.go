package workqueue_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
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

// daemon is a hub of version 1 with an address.
type daemon struct {
	*workqueue.Hub
	address string
	server  *grpc.Server
}

func listen(t testing.TB) *daemon {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{workqueue.NewHub("1"), l.Addr().String(), grpc.NewServer()}
	workerv1.RegisterWorkersServer(d.server, d.Hub)
	var group sync.WaitGroup
	group.Go(func() { _ = d.server.Serve(l) }) // until it is stopped
	t.Cleanup(func() { d.server.Stop(); group.Wait() })
	return d
}

// dial connects to a daemon.
func dial(t testing.TB, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func connect(address string) (*grpc.ClientConn, error) {
	return grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
}

// offered is a campaign whose base is the configuration that the host has already.
var offered = &workqueue.Campaign{Description: []byte("theft"), Base: func(to io.Writer) error {
	_, err := io.WriteString(to, "a base")
	return err
}}

// begin begins a campaign that ends with the test.
func begin(t testing.TB, d *daemon) *workqueue.Coordinator {
	t.Helper()
	q, err := d.Begin(t.Context(), offered)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// work runs a worker until the daemon is closed or the test ends. What it comes to is read from the channel.
func work(t testing.TB, d *daemon, slots int, c *campaign.Config) <-chan error {
	t.Helper()
	return workAs(t, d, &workqueue.Host{Version: "1", Slots: slots, Open: func(description []byte, _ string, base func() (io.ReadCloser, error)) (*campaign.Worker, error) {
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

func workAs(t testing.TB, d *daemon, h *workqueue.Host) <-chan error {
	t.Helper()
	conn := dial(t, d.address)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	var group sync.WaitGroup
	group.Go(func() { ended <- workqueue.Work(ctx, conn, h) })
	t.Cleanup(func() { cancel(); group.Wait() })
	return ended
}

// scripted is a worker that a test plays.
type scripted struct {
	testing.TB
	client workerv1.WorkersClient
	stream grpc.BidiStreamingClient[workerv1.WorkRequest, workerv1.WorkResponse]
}

// play joins as a worker.
func play(t testing.TB, d *daemon, slots uint32) *scripted {
	t.Helper()
	s := &scripted{TB: t, client: workerv1.NewWorkersClient(dial(t, d.address))}
	var err error
	if s.stream, err = s.client.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.say(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Joining{Joining: &workerv1.Joining{Version: "1", Slots: slots}}})
	return s
}

func (s *scripted) say(out *workerv1.WorkRequest) {
	s.Helper()
	if err := s.stream.Send(out); err != nil {
		s.Fatal(err)
	}
}

// hear waits for the next message.
func (s *scripted) hear() *workerv1.WorkResponse {
	s.Helper()
	in, err := s.stream.Recv()
	if err != nil {
		s.Fatal(err)
	}
	return in
}

// open waits for an invitation, and is ready.
func (s *scripted) open() (campaign string) {
	s.Helper()
	campaign = s.hear().GetInvitation().GetCampaign()
	s.say(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Opened{Opened: &workerv1.Opened{Campaign: campaign}}})
	return campaign
}

// give gives results for an assignment.
func (s *scripted) give(results *workerv1.Results) {
	s.Helper()
	s.say(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Results{Results: results}})
}
