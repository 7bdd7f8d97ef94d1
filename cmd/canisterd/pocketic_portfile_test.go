package main

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/cmd/canisterd/internal/portfile"
)

func TestThePortFileOfAKilledServerIsTakenOver(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	port := gone.URL[strings.LastIndex(gone.URL, ":")+1:]
	gone.Close()
	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	for what, left := range map[string]string{
		"a port where nothing listens":        port + "\n",
		"a port where another program serves": stranger.URL[strings.LastIndex(stranger.URL, ":")+1:] + "\n",
		"no port at all":                      "hello\n",
		"a number that is too large":          "65536\n",
	} {
		path := filepath.Join(t.TempDir(), "pocket_ic.port")
		if err := os.WriteFile(path, []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		end := servedPocket(t, path)
		taken := portOf(t, path)
		for ; taken == strings.TrimSpace(left); taken = portOf(t, path) {
			if t.Context().Err() != nil {
				t.Fatalf("%s: the port file stays as it was", what)
			}
		}
		response, err := http.Get("http://127.0.0.1:" + taken + "/status")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: the status is %v (%v)", what, response, err)
		}
		_ = response.Body.Close()
		if code := end(); code != 0 {
			t.Errorf("%s: the server ends with exit code %d", what, code)
		}
		if all, _ := filepath.Glob(filepath.Dir(path) + "/*"); len(all) > 0 {
			t.Errorf("%s: it leaves %v", what, all)
		}
	}
}

func TestOneOfManyServersTakesOverAPortFile(t *testing.T) {
	status := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer status.Close()
	_, port, err := net.SplitHostPort(status.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	own, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		path := filepath.Join(t.TempDir(), "pocket_ic.port")
		if err := os.WriteFile(path, []byte("1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var claimed atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				publish, _, err := portfile.Claim(t.Context(), path)
				switch {
				case errors.Is(err, fs.ErrExist):
				case err != nil:
					t.Error(err)
				default:
					claimed.Add(1)
					if err := publish(own); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if text, err := os.ReadFile(path); claimed.Load() != 1 || string(text) != port+"\n" {
			t.Fatalf("%d servers claimed the file, in which is %q (%v)", claimed.Load(), text, err)
		}
	}
}
