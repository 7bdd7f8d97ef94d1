package workqueue_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sys/unix"

	"github.com/canisterd/canisterd/internal/explore/workqueue"
)

// longFolder makes a folder in which a server can start, but cannot create the folder of an object store, because its
// path is longer than the system allows. The prefix is what the server adds to the path before its own folders.
func longFolder(t *testing.T, prefix string) string {
	t.Helper()
	folder := t.TempDir()
	for room := unix.PathMax - len(prefix+"/jetstream/$G/streams/OBJ_canisterd-"); len(folder) < room; {
		folder += "/" + strings.Repeat("x", min(room-len(folder), 200))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestAServerThatCannotCreateItsFilesSaysWhy(t *testing.T) {
	t.Setenv("TMPDIR", longFolder(t, "/canisterd-explore-0123456789"))
	_, err := workqueue.Begin(t.Context(), "embedded://", offered)
	if err == nil || !strings.Contains(err.Error(), "storing the base of the campaign") || !strings.Contains(err.Error(), "the server says: Stream create failed") {
		t.Errorf("the campaign begins with %v", err)
	}
}

func TestAServerThatCannotCreateItsFilesIsAskedFiveTimes(t *testing.T) {
	t.Parallel()
	s := natsServer(t, func(o *server.Options) { o.StoreDir = longFolder(t, "") })
	conn, _ := client(t, s.ClientURL())
	asked, err := conn.SubscribeSync("$JS.API.STREAM.CREATE.*")
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := workqueue.Begin(t.Context(), s.ClientURL(), offered); err == nil || !strings.Contains(err.Error(), "error creating store for stream") {
		t.Errorf("the campaign begins with %v", err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := asked.Pending(); err != nil || n != 2+5 { // two for the queues
		t.Errorf("the server was asked %d times, %v", n, err)
	}
}

func TestAServerThatCannotCreateItsFilesHasTimeBetweenTwoAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var asked []time.Duration
		refusal := &jetstream.APIError{ErrorCode: 10049}
		if err := workqueue.Reserve(t.Context(), func(int64) error {
			asked = append(asked, time.Since(begun))
			return refusal
		}); !errors.Is(err, refusal) {
			t.Errorf("the attempts end with %v", err)
		}
		if want := []time.Duration{0, 50e6, 100e6, 150e6, 200e6}; !slices.Equal(asked, want) {
			t.Errorf("the server is asked after %s, want %s", asked, want)
		}
	})
}

// A file stands where the folder of the streams belongs, so the first attempt fails. After the failure NATS removes the
// file, as it removes an empty folder.
func TestAServerThatFailsOnceToCreateItsFilesIsAskedAgain(t *testing.T) {
	t.Parallel()
	var store string
	s := natsServer(t, func(o *server.Options) { store = filepath.Join(o.StoreDir, "jetstream", "$G", "streams") })
	if err := errors.Join(os.MkdirAll(filepath.Dir(store), 0o700), os.WriteFile(store, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	begin(t, s.ClientURL())
	if stat, err := os.Stat(store); err != nil || !stat.IsDir() {
		t.Errorf("the folder of the streams is %v, %v", stat, err)
	}
}
