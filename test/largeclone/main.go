// Command largeclone clones a canister with 2 GiB of stable memory from one daemon to another, and fails if that is too slow
// or takes too much memory.
//
// It builds the real binary, starts it twice, and fills a canister of the first daemon with bytes that cannot be compressed.
// Then it exports the instance with it to a file and imports that in the second daemon, and clones the canister over HTTP, with
// every certificate verified. It fails if
//
//   - the clone takes longer than twice the export and the import,
//   - one of the daemons, or the command, has more than 300 MiB more memory than before at any time. Memories of canisters
//     are files here, so they do not count,
//   - bytes of the clone differ from those of the source.
//
// The stable memory is on the disk four times at most.
package main

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// options say what is cloned, and how slow it may be.
type options struct {
	bytes  int64
	binary string // "": built
}

func main() {
	var o options
	flag.Int64Var(&o.bytes, "bytes", stableBytes, "stable memory of the canister, in bytes; whole multiples of 32 MiB")
	flag.StringVar(&o.binary, "binary", "", "the binary to run (default: the one that is built here)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := measure(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "largeclone:", err)
		os.Exit(1)
	}
}

// measure does what the options say, in a folder that it removes.
func measure(ctx context.Context, o options, out io.Writer) (err error) {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("on %s the memory of a process is not measured: run it on Linux", runtime.GOOS)
	}
	folder, err := os.MkdirTemp("", "canisterd-largeclone-")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if o.binary == "" {
		o.binary = filepath.Join(folder, "canisterd")
		if text, err := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "github.com/canisterd/canisterd/cmd/canisterd").CombinedOutput(); err != nil {
			return fmt.Errorf("building canisterd: %w\n%s", err, text)
		}
	}
	r := &run{binary: o.binary, folder: folder}
	defer func() { err = errors.Join(err, r.stop()) }()
	if err := r.begin(ctx, o.bytes); err != nil {
		return err
	}
	if err := r.instance(ctx, r.to, cloned); err != nil {
		return err
	}
	moved, err := r.timed(ctx, (*run).exportAndImport)
	if err != nil {
		return err
	}
	cloned, err := r.timed(ctx, (*run).clone)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d MiB of stable memory\nexport and import: %s\nclone:             %s\n", o.bytes>>20, moved, cloned)
	return errors.Join(cloned.check(moved), r.compare(ctx, o.bytes))
}

// run is two daemons with a canister in the first one.
type run struct {
	binary, folder string
	from, to       *process
	canister       string
	running        atomic.Int64 // the process of the command that runs; 0 if none does
}

// begin starts the daemons and fills the canister.
func (r *run) begin(ctx context.Context, bytes int64) (err error) {
	for name, p := range map[string]**process{"from": &r.from, "to": &r.to} {
		if *p, err = startProcess(ctx, r.binary, filepath.Join(r.folder, name)); err != nil {
			return err
		}
	}
	module, err := wat.Assemble(filler)
	if err != nil {
		return fmt.Errorf("assembling the canister: %w", err)
	}
	file := filepath.Join(r.folder, "filler.wasm")
	if err := os.WriteFile(file, module, 0o600); err != nil {
		return fmt.Errorf("writing the canister: %w", err)
	}
	if err := r.instance(ctx, r.from, source); err != nil {
		return err
	}
	if r.canister, err = r.command(ctx, r.from, "-i", source, "canister", "create", "--jq", ".canister_id"); err != nil {
		return err
	}
	if _, err := r.command(ctx, r.from, "-i", source, "canister", "install", r.canister, file); err != nil {
		return err
	}
	for range bytes / fillBytes {
		if _, err := r.command(ctx, r.from, "-i", source, "canister", "call", r.canister, "fill", "--hex", "00", "--form", "hex"); err != nil {
			return err
		}
	}
	return nil
}

// source is the instance of the canister, imported and cloned those that get it.
const source, imported, cloned = "source", "imported", "cloned"

// instance makes an instance whose canisters have their memories in files.
func (r *run) instance(ctx context.Context, p *process, name string) error {
	_, err := r.command(ctx, p, "instance", "create", name, "--memory-dir", filepath.Join(r.folder, name))
	return err
}

// exportAndImport is the floor. The file and the instance are removed when it is measured.
func (r *run) exportAndImport(ctx context.Context) (err error) {
	file := filepath.Join(r.folder, "exported.ic")
	if _, err := r.command(ctx, r.from, "-i", source, "instance", "export", file); err != nil {
		return err
	}
	_, err = r.command(ctx, r.to, "instance", "import", file, imported, "--memory-dir", filepath.Join(r.folder, imported))
	return err
}

// clone is what is measured.
func (r *run) clone(ctx context.Context) error {
	_, err := r.command(ctx, r.to, "clone", r.canister, "--from", r.from.url+"/instances/"+source, "--take", "--yes", "--into", cloned)
	return err
}

// compare compares eight bytes of many blocks of the stable memories.
func (r *run) compare(ctx context.Context, bytes int64) error {
	for at := int64(0); at < bytes; at += bytes / comparedBlocks {
		argument := hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, uint64(at)))
		of := func(p *process, instance string) (string, error) {
			return r.command(ctx, p, "-i", instance, "canister", "query", r.canister, "at", "--hex", argument, "--form", "hex")
		}
		want, err := of(r.from, source)
		if err != nil {
			return err
		}
		got, err := of(r.to, cloned)
		if err == nil && got != want {
			err = fmt.Errorf("the clone has %s at byte %d, and the source %s", got, at, want)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// command runs a command for a daemon and gives what it prints.
func (r *run) command(ctx context.Context, p *process, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, r.binary, append(args, "--url", p.url)...)
	cmd.Dir = r.folder
	cmd.Env = append(os.Environ(), "HOME="+r.folder, "XDG_CONFIG_HOME="+r.folder, "XDG_DATA_HOME="+r.folder)
	var text, fault strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &fault
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("running canisterd: %w", err)
	}
	r.running.Store(int64(cmd.Process.Pid))
	err := cmd.Wait()
	r.running.Store(0)
	if err != nil {
		return "", fmt.Errorf("canisterd %s: %w\n%s", strings.Join(args, " "), err, fault.String())
	}
	return strings.TrimSpace(text.String()), nil
}

func (r *run) stop() (err error) {
	for _, p := range []*process{r.from, r.to} {
		if p != nil {
			err = errors.Join(err, p.stop())
		}
	}
	return err
}
