//go:build clients && linux

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// latencyChunk is how many operations of one side are timed together.
const latencyChunk = 10

// storedAnswers are answers to the two requests of an update, of the counter's size, by the ends of their paths.
var storedAnswers = map[string]string{
	"submit_ingress_message": `{"Ok":{"effective_principal":{"SubnetId":"VLP1W5wWbH3U3VUVYCK0nU5dTZQcLMQaWyRaZAI="},"message_id":"VLP1W5wWbH3U3VUVYCK0nU5dTZQcLMQaWyRaZAJUs/U="}}`,
	"await_ingress_message":  `{"Ok":"RElETAABfQU="}`,
}

// answerStored answers the requests of an update without reading them, and others with nothing.
func answerStored(w http.ResponseWriter, r *http.Request) {
	if answer := storedAnswers[path.Base(r.URL.Path)]; answer != "" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer) // the client says what is missing
	}
}

// timedClient is the newest @dfinity/pic, with canisterd and with a server of stored answers. It gives what times an
// operation of latency.mjs.
func timedClient(b *testing.B) (timed func(what string) func() time.Duration) {
	b.Helper()
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
	stored := &http.Server{Handler: http.HandlerFunc(answerStored)}
	go func() { _ = stored.Serve(listener) }() // until it is closed
	b.Cleanup(func() { _ = stored.Close() })
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
	b.Cleanup(func() { _, _ = in.Close(), client.Wait() }) // it has said what was wrong
	answers := bufio.NewReader(out)
	timed = func(what string) func() time.Duration {
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
		for _, what := range []string{"update", "stored", "request"} {
			timed(what)()
		}
	}
	return timed
}

// BenchmarkRatioAnUpdateThroughPic compares an update through the newest @dfinity/pic with a request of the same client,
// with the body of an update's first request, to a handler that does nothing. No limit: the client makes two requests for
// an update, one after the other, and reads two answers. The row after this one has its share.
func BenchmarkRatioAnUpdateThroughPic(b *testing.B) {
	timed := timedClient(b)
	ratio.CompareLeast(b, 0, timed("update"), timed("request"))
}

// BenchmarkRatioAnUpdateThroughPicWithStoredAnswers compares two requests whose answers are there already with the same
// floor: no server can be below it. No limit: all of it is the client.
func BenchmarkRatioAnUpdateThroughPicWithStoredAnswers(b *testing.B) {
	timed := timedClient(b)
	ratio.CompareLeast(b, 0, timed("stored"), timed("request"))
}

// BenchmarkRatioAnUpdateThroughPicToOneWithStoredAnswers is what the server adds to what the client takes.
func BenchmarkRatioAnUpdateThroughPicToOneWithStoredAnswers(b *testing.B) {
	timed := timedClient(b)
	ratio.CompareLeast(b, 1.5, timed("update"), timed("stored"))
}
