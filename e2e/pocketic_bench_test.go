//go:build clients && linux

package e2e

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/daemon/bench/ratio"
)

// latencyChunk is how many operations of one side are timed together.
const latencyChunk = 10

// BenchmarkRatioAnUpdateThroughPic compares an update through the newest @dfinity/pic with a request of the same client
// to a handler that does nothing. It is a row for information: the client makes two requests for an update, one after the
// other, so the server's share is what lies above 2.
func BenchmarkRatioAnUpdateThroughPic(b *testing.B) {
	binary, err := build()
	if err != nil {
		b.Fatal(err)
	}
	link := filepath.Join(b.TempDir(), "pocket-ic")
	if err := os.Symlink(binary, link); err != nil {
		b.Fatal(err)
	}
	s := startPocket(b, link, filepath.Join(b.TempDir(), "port"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	empty := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go func() { _ = empty.Serve(listener) }() // until it is closed
	defer empty.Close()
	client := exec.Command("node", "latency.mjs", s.url, "http://"+listener.Addr().String())
	client.Dir, client.Stderr = "pocketic", os.Stderr
	in, err := client.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := client.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := client.Start(); err != nil {
		b.Fatal(err)
	}
	defer client.Wait()
	defer in.Close()
	answers := bufio.NewReader(out)
	timed := func(what string) func() time.Duration {
		return func() time.Duration {
			fmt.Fprintln(in, what, latencyChunk)
			line, err := answers.ReadString('\n')
			if err != nil {
				b.Fatal(err)
			}
			nanoseconds, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				b.Fatal(err)
			}
			return time.Duration(nanoseconds)
		}
	}
	for range 20 { // until the client's code is compiled
		timed("update")()
		timed("request")()
	}
	ratio.CompareLeast(b, 0, timed("update"), timed("request"))
}
