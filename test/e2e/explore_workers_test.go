//go:build clients

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// theft is a daemon with the bank of examples/doublewithdraw, and the arguments of an exploration of some withdrawals
// from it that makes a number of runs.
func theft(t *testing.T, withdrawals int, runs string) (*daemon, []string) {
	t.Helper()
	d := start(t)
	install := func(name string) string {
		id := d.command(t, "canister", "create")
		d.command(t, "canister", "install", id, filepath.Join("..", "..", "examples", "doublewithdraw", name+".wasm"))
		return id
	}
	bank, vault := install("bank"), install("vault")
	d.command(t, "canister", "call", bank, "open", `("`+vault+`")`)
	d.command(t, "canister", "call", bank, "deposit", "100")
	d.command(t, "instance", "snapshot", "before") // the time of the instance goes on
	args := []string{
		"--url", d.url, "explore", "--snapshot", "before", "--invariant", vault + " paidOut <= 100", "--maximize", vault + " paidOut",
		"--before", bank + " deposit 1", "--runs", runs, "--faults", "2", "--time", "0", "--folder", "", "--json",
	}
	for range withdrawals {
		args = append(args, "--op", bank+" withdraw 100")
	}
	return d, args
}

// finding is that an exploration has found something.
func finding(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 2
}

// explored is the report of an exploration.
func (d *daemon) explored(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(d.binary, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); !finding(err) {
		t.Fatalf("canisterd %s: %v\n%s", strings.Join(args, " "), err, errOut.String())
	}
	var report struct {
		Runs     json.Number `json:"runs"`
		Findings []any       `json:"findings"`
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Findings) == 0 || report.Runs == "" {
		t.Fatalf("the report is %v, %s", err, out.String())
	}
	return out.String()
}

func TestTwoWorkerProcessesReportWhatOneProcessReports(t *testing.T) {
	d, args := theft(t, 3, "1500")
	want := d.explored(t, append(slices.Clone(args), "--workers", "1")...)
	if got := d.explored(t, append(slices.Clone(args), "--worker-processes", "2")...); got != want {
		t.Errorf("two workers report\n%s\nand one process\n%s", got, want)
	}
}

// worker starts a worker and waits until it works.
func (d *daemon) worker(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(d.binary, "--url", d.url, "explore", "worker", "--parallel", "1")
	says, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(says)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "working for exploration") {
			go func() { _, _ = io.Copy(io.Discard, says) }()
			return cmd
		}
	}
	t.Fatalf("the worker has ended: %v", lines.Err())
	return nil
}

func TestAKilledWorkerChangesNothingInTheReport(t *testing.T) {
	d, args := theft(t, 5, "6000")
	want := d.explored(t, append(slices.Clone(args), "--workers", "2")...)
	cmd := exec.Command(d.binary, append(args, "--workers", "external")...)
	var out bytes.Buffer
	cmd.Stdout = &out
	says, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(says).ReadString('\n')
	if hint := "start workers with: canisterd --url " + d.url + " explore worker\n"; line != hint {
		t.Fatalf("the exploration says %q, want %q (%v)", line, hint, err)
	}
	first := d.worker(t)
	d.worker(t)
	if err := first.Process.Kill(); err != nil { // it has assignments
		t.Fatal(err)
	}
	_ = first.Wait() // killed
	if out.Len() > 0 {
		t.Error("the exploration was over before the worker was killed")
	}
	if err := cmd.Wait(); !finding(err) {
		t.Fatalf("the exploration ended with %v", err)
	}
	if out.String() != want {
		t.Errorf("with a killed worker the report is\n%s\nwithout\n%s", out.String(), want)
	}
}

func TestAWorkerSaysWhyItCannotWork(t *testing.T) {
	d := start(t)
	_, err := d.try("--url", "http://127.0.0.1:1", "explore", "worker")
	if want := "no daemon answers"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a worker without a daemon ended with %v, want %q", err, want)
	}
}
