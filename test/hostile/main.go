// Command hostile attacks a canisterd process and measures what two innocent
// canisters notice: one in the instance that is attacked, one in another.
//
// It builds the real binary and starts it as a child process once per attack, as
// canisterd start or, for attacks called pocket-*, as canisterd pocket-ic. It
// makes two instances with an innocent canister each, measures signed updates and
// queries of both over HTTP without an attack and under it, deletes the attacked
// instance, and waits for its memory to be given back. Each row of the table is
// one attack; it fails where a number is above the limit written beside the attack
// (attacks*.go, limits.go), where something happened that must not, or where the
// daemon ended.
//
// What is measured:
//
//   - p50 and p99 of the innocent canisters, in milliseconds, and the ratio to the
//     quiet p50 and p99. Requests are sent at fixed times, and the latency counts
//     from the time a request was due: a daemon that stands still for a second
//     delays all requests of that second. The slower of updates and queries counts.
//   - memory: private anonymous pages (RssAnon) of the daemon and of its child
//     processes, plus the allocated bytes of their memory files (memfd), in which
//     canisters' heaps lie. Pages of the binary and of files on a disk do not count:
//     the kernel takes them back at will.
//   - back: how long after the attack and the deletion of its instance the memory
//     is at most backSlack above what it was before.
//   - pause: the longest garbage collection pause while the attack lasted, from
//     GODEBUG=gctrace=1.
//
// The load comes from this process, over loopback, and shares the processors with
// the daemon; attacks are therefore few requests that cost the daemon much.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

type options struct {
	only     *regexp.Regexp
	check    bool
	quiet    time.Duration
	duration time.Duration
	json     string
	binary   string
	verbose  bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

func parseFlags() (options, error) {
	var o options
	only := flag.String("only", "", "only attacks whose name matches this expression")
	list := flag.Bool("list", false, "list the attacks and why each is there, and end")
	seconds := flag.Float64("seconds", 0, "how long each attack lasts (default 8, with -check 3)")
	flag.BoolVar(&o.check, "check", false, "the short version for continuous integration: fewer attacks, for less time, up to three times where one fails, with wider limits of latencies")
	flag.StringVar(&o.json, "json", "", "also write the table to this file, as JSON")
	flag.StringVar(&o.binary, "binary", "", "attack this canisterd binary instead of building one")
	flag.BoolVar(&o.verbose, "v", false, "show what the daemon writes to stderr")
	flag.Parse()
	if flag.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: see -help", flag.Arg(0))
	}
	if *list {
		for _, a := range attacks() {
			fmt.Printf("%-20s %s\n", a.name, a.why)
		}
		os.Exit(0)
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	o.quiet, o.duration = 3*time.Second, 8*time.Second
	if o.check {
		o.quiet, o.duration = time.Second, 3*time.Second
	}
	if *seconds > 0 {
		o.duration = time.Duration(*seconds * float64(time.Second))
	}
	return o, nil
}

func run(ctx context.Context) error {
	o, err := parseFlags()
	if err != nil {
		return err
	}
	if runtime.GOOS != "linux" {
		return fmt.Errorf("on %s neither the memory of a process nor limits of a child can be measured and set as this program does: run it on Linux", runtime.GOOS)
	}
	dir, err := os.MkdirTemp("", "canisterd-hostile-")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if o.binary == "" {
		if o.binary, err = build(ctx, dir); err != nil {
			return err
		}
	}
	rows, err := attackAll(ctx, &o, dir)
	if err != nil {
		return err
	}
	if err := printTable(os.Stdout, rows); err != nil {
		return err
	}
	if o.json != "" {
		text, err := json.MarshalIndent(rows, "", "  ")
		if err != nil {
			return fmt.Errorf("encoding the table: %w", err)
		}
		if err := os.WriteFile(o.json, append(text, '\n'), 0o644); err != nil {
			return fmt.Errorf("writing the table: %w", err)
		}
	}
	failed := 0
	for i := range rows {
		if len(rows[i].Failures) > 0 {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d attacks are above their limits", failed, len(rows))
	}
	return nil
}

// build makes the binary, as make build does.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "canisterd")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/canisterd/canisterd/cmd/canisterd")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building canisterd: %w\n%s", err, out)
	}
	return binary, nil
}

// attackAll runs the chosen attacks one after the other, each against a daemon of its own.
func attackAll(ctx context.Context, o *options, dir string) ([]row, error) {
	var rows []row
	for _, a := range attacks() {
		if !o.only.MatchString(a.name) {
			continue
		}
		if why := leftOut[a.name]; o.check && why != "" {
			fmt.Fprintf(os.Stderr, "%s: left out: %s\n", a.name, why)
			continue
		}
		r, err := attempt(ctx, o, dir, &a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, errors.New("no attack has such a name: see -list")
	}
	return rows, nil
}

// attempt measures an attack. The short version measures one that failed up to twice more:
// machines of continuous integration have neighbors, and what is wrong fails each time.
func attempt(ctx context.Context, o *options, dir string, a *attack) (r row, err error) {
	attempts := 1
	if o.check {
		attempts = 3
	}
	for range attempts {
		if r, err = measure(ctx, o, dir, a); err != nil {
			return r, err
		}
		if len(r.Failures) == 0 {
			fmt.Fprintf(os.Stderr, "%s: ok\n", a.name)
			break
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", a.name, strings.Join(r.Failures, "; "))
	}
	return r, nil
}
