//go:build unix

package ic

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest"
)

// serving names what this binary serves in a process of its own, for a benchmark that
// counts the processor time of a server without its clients.
const serving = "CANISTERD_BENCH_SERVES"

func TestMain(m *testing.M) {
	what := os.Getenv(serving)
	if what == "" {
		os.Exit(canistertest.Main(m))
	}
	if err := serveChild(what); err != nil {
		fmt.Fprintln(os.Stderr, "serving", what+":", err)
		os.Exit(1)
	}
}

// serveChild prints the address of a server, and answers each line of its input with the
// processor time it used so far, in nanoseconds, until the input ends.
func serveChild(what string) error {
	handler, closeServed, err := served(what)
	if err != nil {
		return err
	}
	server := httptest.NewServer(handler)
	fmt.Println(server.URL)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			return err
		}
		fmt.Println(usage.Utime.Nano() + usage.Stime.Nano())
	}
	server.Close()
	return closeServed()
}

// served is the handler of a node, or one that reads a body, checks a signature and answers with as many bytes as a
// certificate of an update has.
func served(what string) (http.Handler, func() error, error) {
	if what == "nothing" {
		answer := make([]byte, 1500)
		seed := sha256.Sum256([]byte("floor"))
		key := ed25519.NewKeyFromSeed(seed[:])
		message := []byte("a request id")
		signature := ed25519.Sign(key, message)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if ed25519.Verify(key.Public().(ed25519.PublicKey), message, signature) {
				_, _ = w.Write(answer)
			}
		}), func() error { return nil }, nil
	}
	engine, err := canister.NewEngine(canister.EngineConfig{Fragments: canister.FragmentsNever})
	if err != nil {
		return nil, nil, err
	}
	d, err := driver.Start(driver.Config{Network: replica.Config{
		Start: uint64(time.Now().UnixNano()), Subnets: []replica.SubnetConfig{{Kind: replica.Application}}, Engine: engine,
	}})
	if err != nil {
		return nil, nil, err
	}
	return New(running{d}, Info{Version: "bench"}), func() error { return errors.Join(d.Close(), engine.Close()) }, nil
}

// child is a server in a process of its own.
type child struct {
	url   string
	in    io.WriteCloser
	lines *bufio.Scanner
}

func startChild(b *testing.B, what string) *child {
	b.Helper()
	cmd := exec.CommandContext(context.Background(), os.Args[0]) // it ends with its input
	cmd.Env, cmd.Stderr = append(os.Environ(), serving+"="+what), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c := &child{in: in, lines: bufio.NewScanner(out)}
	b.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("the server of %s: %v", what, err)
		}
	})
	c.url = c.line(b)
	return c
}

func (c *child) line(b *testing.B) string {
	b.Helper()
	if !c.lines.Scan() {
		b.Fatal("the server ended")
	}
	return strings.TrimSpace(c.lines.Text())
}

// used is the processor time the child has used so far.
func (c *child) used(b *testing.B) time.Duration {
	b.Helper()
	if _, err := io.WriteString(c.in, "\n"); err != nil {
		b.Fatal(err)
	}
	var ns int64
	if _, err := fmt.Sscan(c.line(b), &ns); err != nil {
		b.Fatal(err)
	}
	return time.Duration(ns)
}

// flood lets clients send bodies, each client its share one after the other, and returns
// the processor time of the server for one of them.
func (c *child) flood(b *testing.B, clients []*http.Client, path string, bodies [][]byte) time.Duration {
	b.Helper()
	begun := c.used(b)
	var all sync.WaitGroup
	for i, client := range clients {
		all.Go(func() {
			for at := i; at < len(bodies); at += len(clients) {
				exchange(b, client, c.url+path, bodies[at])
			}
		})
	}
	all.Wait()
	return (c.used(b) - begun) / time.Duration(len(bodies))
}

// BenchmarkRatioUpdatesOf64Clients is the processor time of a server for one signed update of a Motoko counter, while
// 64 clients wait for answers; the floor is the time of a server that checks a signature for each and answers with as many
// bytes: two thirds of it are the check. A batch of signatures takes half as long for each of them. The frozen
// floor is that of the limit of 2.3, 73 µs.
func BenchmarkRatioUpdatesOf64Clients(b *testing.B) {
	const perTurn = 2048
	real, empty := startChild(b, "node"), startChild(b, "nothing")
	c := dialNode(b, real.url, "alice")
	home, err := c.Home(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	counter := install(b, c, home, fixture(b, "counter.wasm"))
	clients := make([]*http.Client, 64)
	for i := range clients {
		transport := &http.Transport{}
		b.Cleanup(transport.CloseIdleConnections)
		clients[i] = &http.Client{Transport: transport}
	}
	path := canisterURL("v4", counter, "call")
	sent := uint64(0)
	updates := func() [][]byte {
		bodies := make([][]byte, perTurn)
		for i := range bodies {
			bodies[i] = increment(b, counter, sent)
			sent++
		}
		return bodies
	}
	measured := ratio.CompareTimed(b, 1.8, func() time.Duration {
		return real.flood(b, clients, path, updates())
	}, func() time.Duration {
		return empty.flood(b, clients, path, updates())
	})
	ratio.ReportFrozen(b, 54_000, measured)
}

func increment(b *testing.B, counter principal.Principal, number uint64) []byte {
	draft := wire.NewCall(counter, "inc", none)
	draft.IngressExpiry, draft.Nonce = uint64(time.Now().Add(time.Minute).UnixNano()), fmt.Appendf(nil, "%d", number)
	return sign(b, draft, alice(b)).Body
}
