package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/daemon"
)

const (
	// backgroundLogFlag is the flag with which a command makes its copy the daemon in the background. The value is the
	// log file.
	backgroundLogFlag = "background-log"
	// backgroundReady ends what a daemon in the background prints to the command that started it: the daemon is ready.
	backgroundReady = '\x00'
)

// notConfiguration are the flags of start that do not describe the network or its daemon: what is logged, and what is
// done after the start.
var notConfiguration = []string{"background", backgroundLogFlag, "state-dir", "listen", "deploy", "call", "allow-outside", "network", "verbose", "log-format", "log-level"}

// configuration is what a daemon was started with, by the names of flags.
type configuration map[string]string

// configurationOf returns the configuration of a daemon that the flags of a command describe.
func configurationOf(flags *pflag.FlagSet, stateDir string) (configuration, error) {
	given := configuration{}
	if stateDir != "" {
		absolute, err := filepath.Abs(stateDir)
		if err != nil {
			return nil, fmt.Errorf("the state directory: %w", err)
		}
		given["state-dir"] = absolute
	}
	if listen := flags.Lookup("listen"); listen != nil { // the record of a daemon is found by its port
		if given["listen"], _, _ = net.SplitHostPort(listen.Value.String()); given["listen"] == "" {
			given["listen"] = "every address"
		}
	}
	flags.VisitAll(func(flag *pflag.Flag) {
		if value := flag.Value.String(); value != flag.DefValue && !slices.Contains(notConfiguration, flag.Name) {
			given[flag.Name] = value
		}
	})
	return given, nil
}

// differences describes each flag of a running daemon that differs from the wanted one.
func (running configuration) differences(wanted configuration) (all []string) {
	either := maps.Clone(running)
	maps.Copy(either, wanted)
	for _, name := range sortedKeys(either) {
		if there, here := running[name], wanted[name]; there != here {
			all = append(all, fmt.Sprintf("--%s is %s there and %s here", name, valueOrDefault(there), valueOrDefault(here)))
		}
	}
	return all
}

func valueOrDefault(value string) string {
	if value == "" {
		return "the default"
	}
	return value
}

// startInBackground starts the daemon in a process of its own, which goes on after the command, and waits until it is
// ready.
func (c *cli) startInBackground(cmd *cobra.Command, f *startFlags) error {
	ctx := cmd.Context()
	config, err := c.daemonConfig(f)
	if err != nil {
		return err
	}
	wanted, err := configurationOf(cmd.LocalNonPersistentFlags(), config.StateDir)
	if err != nil {
		return err
	}
	if found, err := c.runsAlready(ctx, f, wanted); found || err != nil {
		return err
	}
	log, err := backgroundLog(config.StateDir)
	if err != nil {
		return err
	}
	failed := c.startCopy(ctx, cmd.Flags(), log, config.StateDir == "")
	if failed == nil || ctx.Err() != nil {
		return failed
	}
	// Another command may have started the same daemon in the meantime.
	if found, err := c.runsAlready(ctx, f, wanted); found && err == nil {
		return nil
	}
	return failed
}

// runsAlready reports whether the wanted daemon already listens at the address, and says so. --deploy and --call then act on
// the running daemon. The error is about a daemon with another configuration.
func (c *cli) runsAlready(ctx context.Context, f *startFlags, wanted configuration) (bool, error) {
	r, err := daemonAt(ctx, f.listen)
	if r == nil || err != nil {
		return false, err
	}
	if different := r.Configuration.differences(wanted); len(different) > 0 {
		return false, fmt.Errorf("a daemon with another configuration runs at %s (%s): stop it first (%s), or pass another --listen", r.URL, strings.Join(different, ", "), stopCommand(r.URL))
	}
	text := fmt.Sprintf("a daemon with this configuration already runs at %s (process %d)", r.URL, r.PID)
	if r.Log != "" {
		text += "; its log is " + r.Log
	}
	if err := c.print(text, r); err != nil {
		return false, err
	}
	return true, c.populate(ctx, r.URL, f)
}

// daemonAt returns the record of the daemon that this user runs at an address to listen on, nil if there is none.
func daemonAt(ctx context.Context, listen string) (*running, error) {
	if _, port, _ := net.SplitHostPort(listen); port == "" || port == "0" {
		return nil, nil // a new daemon says what is wrong with the address
	}
	path, err := place((&url.URL{Scheme: "http", Host: listen}).String())
	if err != nil || !exists(path) {
		return nil, err
	}
	r, err := readRunning(path)
	if err != nil || !answers(ctx, r.URL) { // the record of a daemon that was killed is still there
		return nil, err
	}
	return &r, nil
}

// answers reports whether a daemon answers at an address.
func answers(ctx context.Context, address string) bool {
	connection, err := (&cli{}).dial(ctx, address)
	if err == nil {
		connection.Close()
	}
	return err == nil
}

// backgroundLog returns the path of the log of a daemon in the background: in its state directory, or else in the
// directory for temporary files.
func backgroundLog(stateDir string) (string, error) {
	if stateDir != "" {
		path, err := filepath.Abs(filepath.Join(stateDir, daemon.LogFile))
		if err != nil {
			return "", fmt.Errorf("the state directory: %w", err)
		}
		return path, nil
	}
	file, err := os.CreateTemp("", "canisterd-*.log")
	if err != nil {
		return "", fmt.Errorf("creating the log of the daemon: %w", err)
	}
	return file.Name(), file.Close()
}

// startCopy starts this program as the daemon, with the same flags, and passes on what it prints until it is ready. If it
// ends before, the error has the end of its log. A temporary log is removed if that is all of it.
func (c *cli) startCopy(ctx context.Context, flags *pflag.FlagSet, log string, temporary bool) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program, to start it in the background: %w", err)
	}
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log of the daemon: %w", err)
	}
	defer func() { _ = file.Close() }() // the daemon has its own
	begin, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("reading the log of the daemon: %w", err)
	}
	copied := exec.CommandContext(context.WithoutCancel(ctx), self, backgroundArguments(flags, log)...)
	copied.Stderr, copied.SysProcAttr = file, detached()
	printed, err := copied.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting the daemon: %w", err)
	}
	if err := copied.Start(); err != nil {
		return fmt.Errorf("starting the daemon: %w", err)
	}
	keep := context.AfterFunc(ctx, func() { _ = terminate(copied.Process) })
	text, err := bufio.NewReader(printed).ReadBytes(backgroundReady)
	ready := err == nil && keep()
	if _, err := c.out.Write(trimReady(text)); err != nil {
		return err
	}
	if ready {
		return copied.Process.Release()
	}
	if err := copied.Wait(); ctx.Err() == nil {
		return fmt.Errorf("the daemon ended before it was ready (%w); %s", endOf(err), logInError(log, begin, temporary))
	}
	return ctx.Err()
}

// logInError returns the end of a log with its path, or a temporary log that is not longer, which it removes.
func logInError(log string, begin int64, temporary bool) string {
	tail := logTail(log, begin)
	if info, err := os.Stat(log); temporary && err == nil && info.Size() <= maxTailBytes && os.Remove(log) == nil {
		return "its log:\n" + tail
	}
	return fmt.Sprintf("the end of its log %s:\n%s", log, tail)
}

// errEnded is the reason for a daemon that ended without an error.
var errEnded = errors.New("exit status 0")

func endOf(err error) error {
	if err == nil {
		return errEnded
	}
	return err
}

// trimReady returns a text without the mark at its end.
func trimReady(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] == backgroundReady {
		return text[:n-1]
	}
	return text
}

// backgroundArguments returns the arguments with which a copy of the command becomes the daemon.
func backgroundArguments(flags *pflag.FlagSet, log string) []string {
	args := []string{"start", "--" + backgroundLogFlag + "=" + log}
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Name == "background" {
			return
		}
		if list, is := flag.Value.(pflag.SliceValue); is {
			for _, value := range list.GetSlice() {
				args = append(args, "--"+flag.Name+"="+inList(value))
			}
			return
		}
		args = append(args, "--"+flag.Name+"="+flag.Value.String())
	})
	return args
}

// inList writes one value of a flag that takes several with commas between them.
func inList(value string) string {
	var text strings.Builder
	w := csv.NewWriter(&text)
	if err := w.Write([]string{value}); err != nil { // a strings.Builder takes everything
		panic(err)
	}
	w.Flush()
	return strings.TrimSuffix(text.String(), "\n")
}

// addBackground adds the flags that start the daemon in the background.
func (f *startFlags) addBackground(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.background, "background", false, "start the daemon in the background, and return when it is ready")
	flags.StringVar(&f.backgroundLog, backgroundLogFlag, "", "log of the daemon in the background")
	_ = flags.MarkHidden(backgroundLogFlag) // the copy of the command gets it; the flag exists
}

// handOver tells the command that started the daemon that it is ready. From then on everything goes to the log.
func (c *cli) handOver() error {
	if _, err := c.out.Write([]byte{backgroundReady}); err != nil {
		return fmt.Errorf("the command that started the daemon is gone: %w", err)
	}
	c.out = c.err
	return nil
}
