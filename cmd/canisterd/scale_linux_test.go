package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// The sizes that the benchmarks of scale measure. scaleVariable names another largest number of canisters.
const (
	mostCanisters = 100_000
	mostClients   = 64
	scaleVariable = "CANISTERD_SCALE"
)

// deployMany makes canisters with a module, several at a time.
func (s *served) deployMany(module []byte, count int) (ids []string) {
	s.Helper()
	const workers = 32
	ids = make([]string, count)
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
				ids[i] = s.deploy(module)
			}
		})
	}
	all.Wait()
	return ids
}

// increment calls a counter.
func (s *served) increment(id string) {
	call := &controlv1.Call{CanisterId: id, Method: "inc", Argument: &controlv1.Value{Form: &controlv1.Value_Text{Text: "()"}}}
	out, err := s.Calls.Update(context.Background(), &controlv1.UpdateRequest{Call: call})
	if err != nil || out.GetOutcome().GetReply() == nil {
		s.Error(out, err)
	}
}

// growth is a table of what grows with a size, one line for each.
type growth struct {
	name    string
	columns []string
	rows    [][]float64 // the size, then the columns
}

func (g *growth) add(size int, values ...float64) {
	g.rows = append(g.rows, append([]float64{float64(size)}, values...))
}

// exponent fits a column to a power of the size, by least squares of the logarithms.
func (g *growth) exponent(column int) float64 {
	var n, x, y, xx, xy float64
	for _, row := range g.rows {
		if row[column] > 0 {
			a, b := math.Log(row[0]), math.Log(row[column])
			n, x, y, xx, xy = n+1, x+a, y+b, xx+a*a, xy+a*b
		}
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// String is the table in Markdown.
func (g *growth) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "| %s | %s |\n|%s\n", g.name, strings.Join(g.columns, " | "), strings.Repeat("---|", len(g.columns)+1))
	for _, row := range g.rows {
		fmt.Fprintf(&out, "| %.0f |", row[0])
		for _, v := range row[1:] {
			fmt.Fprintf(&out, " %.4g |", v)
		}
		out.WriteString("\n")
	}
	out.WriteString("| exponent |")
	for i := range g.columns {
		fmt.Fprintf(&out, " %.2f |", g.exponent(i+1))
	}
	return out.String()
}

// cost is the processor time of the process for one of count operations, in those of an empty RPC.
func (s *served) cost(count int, do func(i int)) float64 {
	s.Helper()
	spend := func(count int, do func(i int)) float64 {
		begun := s.used()
		for i := range count {
			do(i)
		}
		return float64(s.used()-begun) / float64(count)
	}
	return spend(count, do) / spend(4000, func(int) { s.empty() })
}

// BenchmarkScaleOfCanisters prints how the cost of a daemon grows with its canisters, Motoko counters that are idle: memory,
// page tables, and processor time in empty RPCs for a deployment, an update of one canister, and one of a canister that was
// idle.
func BenchmarkScaleOfCanisters(b *testing.B) {
	most := mostCanisters
	if text := os.Getenv(scaleVariable); text != "" {
		if _, err := fmt.Sscan(text, &most); err != nil {
			b.Fatalf("%s=%q: expected a number of canisters", scaleVariable, text)
		}
	}
	s, module := start(b, b.TempDir()), canistertest.Fixture("counter")
	first := s.deploy(module)
	g := growth{name: "canisters", columns: []string{"MB", "KB for each more", "MB of page tables", "deployment", "update", "update of an idle canister"}}
	deployed, memory := 1, s.resident()
	for size := 10; size <= most; size *= 10 {
		var fresh []string
		deployment := s.cost(1, func(int) { fresh = s.deployMany(module, size-deployed) }) / float64(size-deployed)
		now := s.resident()
		idle := s.cost(min(len(fresh), 1000), func(i int) { s.increment(fresh[i]) })
		update := s.cost(1000, func(int) { s.increment(first) })
		g.add(size, now/1e6, (now-memory)/1e3/float64(size-deployed), s.statusBytes("VmPTE:")/1e6, deployment, update, idle)
		deployed, memory = size, s.resident()
	}
	fmt.Println(&g)
}

// BenchmarkScaleOfClients prints how the cost of an update grows with the clients that wait for answers of one canister, in
// empty RPCs of one client.
func BenchmarkScaleOfClients(b *testing.B) {
	s := start(b, b.TempDir())
	counter := s.deploy(canistertest.Fixture("counter"))
	const updates = 6400
	g := growth{name: "clients", columns: []string{"updates a second", "update"}}
	for clients := 1; clients <= mostClients; clients *= 2 {
		begun := time.Now()
		var took time.Duration
		update := s.cost(1, func(int) {
			var all sync.WaitGroup
			for range clients {
				all.Go(func() {
					for range updates / clients {
						s.increment(counter)
					}
				})
			}
			all.Wait()
			took = time.Since(begun)
		})
		g.add(clients, updates/took.Seconds(), update/updates)
	}
	fmt.Println(&g)
}
