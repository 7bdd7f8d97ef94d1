package workqueue_test

import (
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/explore/campaign"
	"github.com/canisterd/canisterd/explore/workqueue"
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
	workAs(t, q.URL(), &workqueue.Host{Version: "1", Slots: 1, Open: func(_ []byte, _ string, base func() (io.ReadCloser, error)) (*campaign.Worker, error) {
		file, err := base()
		if err != nil {
			return nil, err
		}
		defer file.Close()
		time.Sleep(11 * time.Second)
		if text, err := io.ReadAll(file); err != nil || string(text) != "a base" {
			return nil, fmt.Errorf("the base is %q: %w", text, err)
		}
		return campaign.NewWorker(far)
	}})
	if got := run(t, c, q); got != want {
		t.Errorf("the worker has found\n%s\nand one process\n%s", got, want)
	}
}
