package workqueue_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/test/campaigntest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// TestMain makes the test binary a worker where it is started as one.
func TestMain(m *testing.M) {
	if server := os.Getenv(workerVariable); server != "" {
		if err := workerProcess(server); err != nil {
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
	q := begin(t, "embedded://")
	first, second := work(t, q.URL(), 1, theft(t, 3, 400)), work(t, q.URL(), 2, theft(t, 3, 400))
	if got := run(t, c, q); got != want {
		t.Errorf("workers have found\n%s\nand one process\n%s", got, want)
	}
	q.Close()
	for _, ended := range []<-chan error{first, second} {
		if err := <-ended; err != nil {
			t.Errorf("a worker ended with %v", err)
		}
	}
}

// A base is imported while it is read, which compiles its modules: the worker took ten seconds, the limit of a request, and
// the read failed with "nats: timeout".
func TestABaseMayTakeLongerThanARequest(t *testing.T) {
	t.Parallel()
	c := theft(t, 2, 60)
	want := run(t, c, nil)
	q := begin(t, "embedded://")
	far := theft(t, 2, 60) // its engine is closed after the worker has ended
	conn, _ := client(t, q.URL())
	silent, err := conn.SubscribeSync("silent")
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	var request time.Duration
	host := &workqueue.Host{Version: "1", Slots: 1, Open: func(_ []byte, _ string, base func() (io.ReadCloser, error)) (*campaign.Worker, error) {
		file, err := base()
		if err != nil {
			return nil, err
		}
		defer file.Close()
		// A request that begins after the read is given up before the read ends.
		if _, err := conn.Request(silent.Subject, nil, request); !errors.Is(err, nats.ErrTimeout) {
			return nil, fmt.Errorf("a request without an answer: %w", err)
		}
		if text, err := io.ReadAll(file); err != nil || string(text) != "a base" {
			return nil, fmt.Errorf("the base is %q: %w", text, err)
		}
		return campaign.NewWorker(far)
	}}
	c.Pool = q
	explored := explore(c)
	// A busy computer may need longer for the other requests of a worker: the next worker has more time.
	for request = time.Second; request < eventually.Limit; request *= 2 {
		ended := workAs(t, q.URL(), host.Within(request))
		select {
		case r := <-explored:
			if r.err != nil {
				t.Fatal(r.err)
			}
			if got := campaigntest.Text(c, r.report); got != want {
				t.Errorf("the worker has found\n%s\nand one process\n%s", got, want)
			}
			return
		case err := <-ended:
			t.Logf("with requests of up to %s the worker ended with %v", request, err)
		}
	}
	t.Fatal("no worker could read the base")
}
