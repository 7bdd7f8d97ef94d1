package workqueue_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/canisterd/canisterd/canister/canistertest"
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
