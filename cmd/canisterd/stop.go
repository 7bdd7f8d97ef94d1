package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/api/client"
)

// stopPatience is how long `canisterd stop` waits for the daemon to end.
const stopPatience = 30 * time.Second

// running is a daemon's record about itself for `canisterd stop`.
type running struct {
	PID           int           `json:"pid"`
	URL           string        `json:"url"`
	StateDir      string        `json:"state_dir"`     // absolute; "": nothing is kept
	Log           string        `json:"log,omitempty"` // of a daemon in the background
	Configuration configuration `json:"configuration,omitempty"`
}

// place returns the file for the daemon at an address: one per port.
func place(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("the address %q: %w", address, err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the user's cache directory: %w", err)
	}
	return filepath.Join(cache, "canisterd", "running", "port-"+u.Port()+".json"), nil
}

// register records that this process is a daemon that was started with flags. The returned function removes the record.
func register(r *running, flags *pflag.FlagSet) (func(), error) {
	path, err := place(r.URL)
	if err != nil {
		return nil, err
	}
	if r.Configuration, err = configurationOf(flags, r.StateDir); err != nil {
		return nil, err
	}
	r.PID, r.StateDir = os.Getpid(), r.Configuration["state-dir"]
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("creating the directory for %s: %w", path, err)
	}
	switch err := os.WriteFile(path, text, 0o600); {
	case errors.Is(err, syscall.EMFILE):
		return nil, fmt.Errorf("writing %s: %w: raise the limit (ulimit -n), then start again", path, err)
	case err != nil:
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return func() { _ = os.Remove(path) }, nil
}

func (c *cli) stop() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the daemon on this machine",
		Long: `Stop the daemon that this user started on this machine and that serves HTTP at --url;
--control is ignored. Canisters and their state stay in the state directory, unless the
daemon was started with --ephemeral.`,
		Example: `  canisterd stop
  canisterd --url http://127.0.0.1:8080 stop`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := patient(cmd.Context(), stopPatience)
			defer cancel()
			stateDir, err := c.end(ctx)
			if err != nil {
				return err
			}
			return c.done(map[string]string{"url": c.url, "done": "stopped", "state_dir": stateDir}, "%s has stopped; its %s", c.url, fateOfState(stateDir))
		},
	}
}

// end signals the daemon that answers at the address and waits until it is gone. It does not signal a daemon that does
// not answer: its process id may belong to another process by now. It returns the daemon's state directory, "" for
// none.
func (c *cli) end(ctx context.Context) (stateDir string, err error) {
	connection, err := c.dial(ctx, c.url)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	path, err := place(c.url)
	if err != nil {
		return "", err
	}
	r, err := c.recorded(path)
	if err != nil {
		return "", err
	}
	process, err := os.FindProcess(r.PID)
	if err != nil {
		return "", fmt.Errorf("finding process %d: %w", r.PID, err)
	}
	if err := interrupt(process); err != nil {
		return "", fmt.Errorf("stopping process %d: %w", r.PID, err)
	}
	return r.StateDir, gone(ctx, connection, process, path)
}

// recorded returns the record of the daemon at the client's address.
func (c *cli) recorded(path string) (running, error) {
	r, err := readRunning(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("the daemon at %s was not started by this user on this machine (canisterd start): stop it where it runs", c.url)
	}
	if err != nil {
		return r, err
	}
	if !here(c.url) && host(c.url) != host(r.URL) {
		return r, fmt.Errorf("the daemon that this user started on this port listens at %s, not at %s: stop the other one where it runs", r.URL, c.url)
	}
	return r, nil
}

// readRunning reads the record of a daemon.
func readRunning(path string) (r running, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return r, fmt.Errorf("finding the daemon's process: %w", err)
	}
	if err := json.Unmarshal(text, &r); err != nil || r.PID <= 0 {
		return r, fmt.Errorf("%s does not name a process: stop the daemon where it runs and remove the file", path)
	}
	return r, nil
}

// stopCommand is the command that stops the daemon at an address.
func stopCommand(address string) string {
	if address == defaultURL {
		return "canisterd stop"
	}
	return "canisterd --url " + address + " stop"
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// here reports whether an address is certainly of this machine.
func here(address string) bool {
	name := host(address)
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// interrupt asks a process to end. Windows has no signal for a process of another console, so there it is killed.
func interrupt(process *os.Process) error {
	if runtime.GOOS == "windows" {
		return process.Kill()
	}
	return process.Signal(os.Interrupt)
}

// gone waits until the daemon stops answering and the process has ended: a closing daemon accepts no requests, but may
// still be answering some.
func gone(ctx context.Context, connection *client.Client, process *os.Process, path string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := connection.Status(ctx); err != nil && ctx.Err() == nil && ended(process, path) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the daemon (process %d) is still running after %s (%w): wait, or kill the process", process.Pid, stopPatience, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// ended reports whether a daemon has closed everything: it removes its file last. A killed one leaves the file; then
// the process is checked.
func ended(process *os.Process, path string) bool {
	if runtime.GOOS == "windows" { // interrupt has killed it
		return os.Remove(path) == nil || !exists(path)
	}
	return !exists(path) || process.Signal(syscall.Signal(0)) != nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
