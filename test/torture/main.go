package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	kills, cuts int // numbers; 0: none
	clients     int
	seed        uint64
	longest     time.Duration // between the start of a process and its end
	binary, dir string        // "": temporary
}

func main() {
	var o options
	flag.IntVar(&o.kills, "kills", 1000, "how often the process is killed")
	flag.IntVar(&o.cuts, "cuts", 1000, "how often the power of an instance fails whose disk is simulated")
	flag.IntVar(&o.clients, "clients", 8, "clients that write, each to a canister of its own")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "of the times of the kills")
	flag.DurationVar(&o.longest, "longest", 400*time.Millisecond, "a process is killed after at most so long")
	flag.StringVar(&o.binary, "binary", "", "the binary to kill (default: the one that is built here)")
	flag.StringVar(&o.dir, "dir", "", "the state directory (default: a temporary one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := perform(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// perform runs the cuts and then the kills.
func perform(ctx context.Context, o options) error {
	if o.cuts > 0 {
		c, err := cutPower(ctx, o.cuts, o.seed)
		fmt.Printf("seed %d: %d power cuts, %s\n", o.seed, o.cuts, c)
		if err == nil {
			err = c.checkCoverage(o.cuts)
		}
		if err != nil {
			return err
		}
	}
	if o.kills == 0 {
		return nil
	}
	done, err := torture(ctx, o)
	fmt.Println(done)
	return errors.Join(err, done.hits.checkCoverage(done.kills))
}

// outcome is the result of the kills.
type outcome struct {
	seed               uint64
	kills              int
	acknowledged, lost int
	checked            int // operations in linearizable histories
	slowest            time.Duration
	replayed           string // output of the replay
	hits               *work  // kills by the kind of work that they hit
}

// String formats the outcome for output.
func (o outcome) String() string {
	return fmt.Sprintf("seed %d: %d kills, %d updates acknowledged, %d lost; %d operations on a counter are linearizable; %s; the slowest start took %s; replay: %s",
		o.seed, o.kills, o.acknowledged, o.lost, o.checked, o.hits, o.slowest.Round(time.Millisecond), o.replayed)
}

// torture kills processes, and counts lost updates.
func torture(ctx context.Context, o options) (done outcome, err error) {
	done.seed, done.hits = o.seed, new(work)
	work, err := os.MkdirTemp("", "canisterd-torture-")
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if o.binary == "" {
		o.binary = filepath.Join(work, "canisterd")
		build := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "github.com/canisterd/canisterd/cmd/canisterd")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build does: the packages are compiled already
		if out, err := build.CombinedOutput(); err != nil {
			return done, fmt.Errorf("building canisterd: %w\n%s", err, out)
		}
	}
	if o.dir == "" {
		o.dir = filepath.Join(work, "state")
	}
	r := &run{options: o, random: rand.New(rand.NewPCG(o.seed, 0))}
	if err := r.prepare(ctx); err != nil {
		return done, err
	}
	for done.kills < o.kills && err == nil {
		err = r.life(ctx)
		done.kills++
	}
	if err == nil {
		err = r.last(ctx)
	}
	done.acknowledged, done.lost, done.slowest, done.checked = r.acknowledged, r.lost, r.slowest, r.counter.checked
	done.hits = &r.work
	if err == nil && r.lost > 0 {
		err = fmt.Errorf("%d acknowledged updates are lost", r.lost)
	}
	if err != nil {
		return done, err
	}
	out, err := exec.CommandContext(ctx, o.binary, "replay", o.dir).CombinedOutput()
	done.replayed = strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", ", ")
	return done, err
}
