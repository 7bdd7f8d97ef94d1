package workqueue_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/test/campaigntest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// TestMain makes the test binary a worker where it is started as one.
func TestMain(m *testing.M) {
	if address := os.Getenv(workerVariable); address != "" {
		if err := workerProcess(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(canistertest.Main(m))
}

func TestTwoWorkersFindWhatOneProcessFinds(t *testing.T) {
	t.Parallel()
	c := theft(t, 3, 400)
	want := run(t, c, nil)
	d := listen(t)
	q := begin(t, d)
	first, second := work(t, d, 1, theft(t, 3, 400)), work(t, d, 2, theft(t, 3, 400))
	if got := run(t, c, q); got != want {
		t.Errorf("workers have found\n%s\nand one process\n%s", got, want)
	}
	q.Close()
	d.Close()
	for _, ended := range []<-chan error{first, second} {
		if err := <-ended; status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "the daemon is stopping") {
			t.Errorf("a worker ended with %v", err)
		}
	}
}

func TestAWorkerWorksForOneCampaignAfterTheOther(t *testing.T) {
	t.Parallel()
	d := listen(t)
	var digests []string
	far := theft(t, 2, 60)
	workAs(t, d, &workqueue.Host{Version: "1", Slots: 1, Open: func(_ []byte, digest string, _ func() (io.ReadCloser, error)) (*campaign.Worker, error) {
		digests = append(digests, digest)
		return campaign.NewWorker(far)
	}})
	c := theft(t, 2, 60)
	want := run(t, c, nil)
	for range 2 {
		q := begin(t, d)
		if got := run(t, c, q); got != want {
			t.Errorf("a later campaign reports\n%s\nwant\n%s", got, want)
		}
		q.Close()
	}
	if len(digests) != 2 || digests[0] != digests[1] || digests[0] == "" {
		t.Errorf("the bases of two campaigns have the digests %q", digests)
	}
}

func TestWorkersAreSpreadOverCampaigns(t *testing.T) {
	t.Parallel()
	d := listen(t)
	first, second := begin(t, d), begin(t, d)
	invited := []string{play(t, d, 1).open(), play(t, d, 1).open(), play(t, d, 1).open()}
	if want := []string{"1", "2", "1"}; !slices.Equal(invited, want) {
		t.Errorf("three workers are invited to %v, want %v", invited, want)
	}
	if count, _ := first.Workers(); count != 2 {
		t.Errorf("the first campaign has %d workers", count)
	}
	if count, _ := second.Workers(); count != 1 {
		t.Errorf("the second campaign has %d workers", count)
	}
}

// failing explores with a worker that cannot work, and returns the error.
func failing(t *testing.T, change func(*campaign.Config)) error {
	t.Helper()
	c, far := theft(t, 2, 60), theft(t, 2, 60)
	change(far)
	d := listen(t)
	q := begin(t, d)
	work(t, d, 1, far)
	c.Pool = q
	_, err := campaign.Run(c)
	return err
}

func TestAWorkerThatSeesOtherRunsEndsTheExploration(t *testing.T) {
	t.Parallel()
	err := failing(t, func(c *campaign.Config) { c.Setup.Operations = c.Setup.Operations[:1] })
	if err == nil || !strings.Contains(err.Error(), "the FIFO run has other messages here") {
		t.Errorf("the exploration ended with %v", err)
	}
}

func TestABugInAJobEndsTheExplorationAndNotItsProcess(t *testing.T) {
	t.Parallel()
	err := failing(t, func(c *campaign.Config) {
		c.Properties = append(c.Properties, &property.Func{Title: "broken", Holds: func(*harness.Run) error { panic("broken property") }})
	})
	if err == nil || !strings.Contains(err.Error(), "bug: broken property") {
		t.Errorf("the exploration ended with %v", err)
	}
}

func TestAWorkerThatCannotOpenTheExplorationSaysWhyAndEnds(t *testing.T) {
	t.Parallel()
	d := listen(t)
	q := begin(t, d)
	ended := workAs(t, d, &workqueue.Host{Version: "1", Open: func([]byte, string, func() (io.ReadCloser, error)) (*campaign.Worker, error) {
		return nil, errors.New("no memory")
	}})
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cannot work for the exploration: no memory") {
		t.Errorf("the worker ended with %v", err)
	}
	work(t, d, 1, theft(t, 2, 60))
	c := theft(t, 2, 60)
	c.Pool = q
	r, err := campaign.Run(c)
	if err != nil {
		t.Fatalf("with another worker: %v", err)
	}
	if campaigntest.Text(c, r) == "" {
		t.Error("there is no report")
	}
}

func TestADaemonThatIsGoneEndsItsWorkers(t *testing.T) {
	t.Parallel()
	d := listen(t)
	begin(t, d)
	joined := make(chan struct{})
	far := theft(t, 3, 10)
	ended := workAs(t, d, &workqueue.Host{Version: "1", Slots: 1, Open: func([]byte, string, func() (io.ReadCloser, error)) (*campaign.Worker, error) {
		defer close(joined)
		return campaign.NewWorker(far)
	}})
	<-joined
	d.server.Stop()
	if err := <-ended; status.Code(err) != codes.Unavailable {
		t.Errorf("the worker ended with %v", err)
	}
}

func TestAWorkerOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	err := <-workAs(t, listen(t), &workqueue.Host{Version: "2"})
	if want := "the daemon is canisterd 1, and the worker is canisterd 2: use the same version on all computers"; err == nil || err.Error() != want {
		t.Errorf("the worker ended with %v, want %q", err, want)
	}
}

func TestABaseThatCannotBeWrittenEndsTheExploration(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	_, err := listen(t).Begin(t.Context(), &workqueue.Campaign{Base: func(io.Writer) error { return full }})
	if !errors.Is(err, full) || !strings.Contains(err.Error(), "storing the base of the exploration") {
		t.Errorf("the campaign begins with %v", err)
	}
}
