//go:build peers

package campaign_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// peers builds the program with the explorers of others, and returns its path.
var peers = sync.OnceValues(func() (string, error) {
	target, err := filepath.Abs("../../../bin/peers")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("cargo", "build", "--release", "--locked", "--manifest-path", "../../../test/peers/Cargo.toml")
	cmd.Env = append(os.Environ(), "CARGO_TARGET_DIR="+target)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cargo: %w\n%s", err, out)
	}
	return filepath.Join(target, "release", "canisterd-peers"), nil
})

// peer runs the program, and returns the numbers in the last line that it prints.
func peer(t testing.TB, arguments ...any) (numbers []int) {
	t.Helper()
	program, err := peers()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, strings.Fields(fmt.Sprintln(arguments...))...).Output()
	if err != nil {
		failed := new(exec.ExitError)
		if errors.As(err, &failed) {
			out = append(out, failed.Stderr...)
		}
		t.Fatalf("%v: %v\n%s", arguments, err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, word := range strings.Fields(lines[len(lines)-1]) {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatalf("%v print %s", arguments, out)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// withoutFaults is an exploration of withdrawals that checks the invariant alone.
func withoutFaults(t testing.TB, bank string, withdrawals int) *campaign.Config {
	t.Helper()
	c := theft(t, bank, withdrawals)
	c.Faults, c.NoBuiltin = 0, true
	return c
}

// On the Internet Computer, the requests of a canister to another arrive in the order in which they were sent, and the answers
// in any order. The table is that of docs/explorer-corpus.md.
func TestTraceForgeFindsTheSameNumbersOfClasses(t *testing.T) {
	for _, c := range []struct {
		bank        string
		withdrawals int
		classes     int
		inOrder     int // classes that TraceForge finds if the answers are in order, too
		unordered   int // and if neither requests nor answers are
	}{{"bank", 2, 6, 4, 10}, {"bank", 3, 66, 24, 270}, {"careful", 2, 4, 4, 4}, {"careful", 3, 18, 18, 18}, {"careful", 4, 96, 96, 96}} {
		report := run(t, withoutFaults(t, c.bank, c.withdrawals))
		if !report.Exhausted || report.Classes != c.classes {
			t.Errorf("%d withdrawals of %s have %d classes (all: %t), want %d", c.withdrawals, c.bank, report.Classes, report.Exhausted, c.classes)
		}
		for delivery, want := range map[string]int{"ordered unordered": c.classes, "ordered ordered": c.inOrder, "unordered unordered": c.unordered} {
			if got := peer(t, "classes", delivery, c.bank, c.withdrawals)[0]; got != want {
				t.Errorf("%d withdrawals of %s, %s: TraceForge finds %d classes, want %d", c.withdrawals, c.bank, delivery, got, want)
			}
		}
	}
}

// BenchmarkRatioExploreBesideTraceForge runs all classes of three withdrawals, with the canisters in Motoko and without a
// property. The floor is TraceForge with a native model of them.
func BenchmarkRatioExploreBesideTraceForge(b *testing.B) {
	c := withoutFaults(b, "bank", 3)
	c.Properties, c.Workers = nil, 1
	ratio.CompareTimed(b, 12, func() time.Duration {
		begin := time.Now()
		run(b, c)
		return time.Since(begin)
	}, func() time.Duration { return time.Duration(peer(b, "classes", "ordered", "unordered", "bank", 3)[1]) })
}

// BenchmarkRatioExploreBesideShuttle runs a thousand random schedules of three withdrawals, with the canisters in Motoko and
// each from a fork of its own. The floor is Shuttle with a native model of them.
func BenchmarkRatioExploreBesideShuttle(b *testing.B) {
	l := newHarness(b, withoutFaults(b, "bank", 3))
	chance := rand.New(rand.NewPCG(1, 1))
	picker := search.PickerFunc(func(moves []search.Move) int { return chance.IntN(len(moves)) })
	ratio.CompareTimed(b, 16, func() time.Duration {
		begin := time.Now()
		for range schedules {
			r := l.Begin(nil)
			if !search.Drive(r, picker, 3*messages) {
				b.Fatal("a run does not come to rest")
			}
			r.Close()
		}
		return time.Since(begin)
	}, func() time.Duration { return time.Duration(peer(b, "schedules", "bank", 3, schedules)[0]) })
}
