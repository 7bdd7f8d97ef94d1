package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
)

// runBackground runs a command and gives its exit code and what it prints.
func runBackground(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(eventually.Context(t), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// freeAddress is an address of this machine at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	return listener.Addr().String()
}

// inBackground starts a daemon in a home of its own, which ends with the test, and gives what the command printed.
func inBackground(t *testing.T, args ...string) string {
	t.Helper()
	homeWith(t, "counter")
	t.Setenv(asCommand, "1") // the test binary is canisterd
	code, out, errOut := runBackground(t, append([]string{"start", "--background"}, args...)...)
	if code != exitOK || errOut != "" {
		t.Fatalf("exit code %d: %s%s", code, out, errOut)
	}
	return out
}

func TestADaemonInTheBackgroundServesUntilItIsStopped(t *testing.T) {
	listen, state := freeAddress(t), filepath.Join(t.TempDir(), "state")
	flags := []string{"--listen", listen, "--state-dir", state, "--outcalls", "deny"}
	out := inBackground(t, append(flags, "--deploy", ".")...)
	log := filepath.Join(state, daemon.LogFile)
	for _, want := range []string{"http      http://" + listen, "log       " + log, "canisterd --url http://" + listen + " stop", "-cai  installed\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
	if code, out, errOut := runBackground(t, "--url", "http://"+listen, "canister", "call", "counter", "add", "5"); code != exitOK || out != "(5 : nat)\n" {
		t.Errorf("a call: exit code %d: %s%s", code, out, errOut)
	}
	if text := mustRead(t, log); !strings.Contains(text, "counter: installed") {
		t.Errorf("the log is %q", text)
	}

	code, out, errOut := runBackground(t, append([]string{"start", "--background", "--json"}, flags...)...)
	var found running
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != exitOK || found.URL != "http://"+listen || found.Log != log || found.PID == os.Getpid() {
		t.Errorf("the second start: exit code %d, %+v (%v): %s", code, found, err, errOut)
	}
	code, out, errOut = runBackground(t, "start", "--background", "--listen", listen, "--state-dir", state, "--ephemeral=false")
	if code != exitFailed || out != "" || !strings.Contains(errOut, "(--outcalls is deny there and the default here)") {
		t.Errorf("a start with other flags: exit code %d: %s%s", code, out, errOut)
	}
	if code, out, errOut := runBackground(t, "--url", "http://"+listen, "stop"); code != exitOK || !strings.Contains(errOut, "are kept in "+state) {
		t.Errorf("the stop: exit code %d: %s%s", code, out, errOut)
	}
	if found, err := daemonAt(t.Context(), listen); found != nil || err != nil {
		t.Errorf("after the stop, %+v runs (%v)", found, err)
	}
}

func TestADaemonInTheBackgroundThatFailsShowsTheEndOfItsLog(t *testing.T) {
	homeWith(t, "counter")
	t.Setenv(asCommand, "1")
	writeFile(t, "canisterd.yaml", "canisters: {counter: {wasm: missing.wasm}}\n")
	state := filepath.Join(t.TempDir(), "state")
	if err := daemon.MakeStateDir(state); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(state, daemon.LogFile), "the line of an earlier daemon\n")
	code, _, errOut := runBackground(t, "start", "--background", "--listen", "127.0.0.1:0", "--state-dir", state, "--deploy", ".")
	if code != exitFailed || !strings.Contains(errOut, "missing.wasm: no such file or directory") || strings.Contains(errOut, "earlier") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
}

func TestATemporaryLogThatTheErrorShowsIsRemoved(t *testing.T) {
	homeWith(t, "counter")
	t.Setenv(asCommand, "1")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary) // of Windows
	writeFile(t, "canisterd.yaml", "canisters: {counter: {wasm: missing.wasm}}\n")
	code, _, errOut := runBackground(t, "start", "--background", "--listen", "127.0.0.1:0", "--ephemeral", "--deploy", ".")
	if code != exitFailed || !strings.Contains(errOut, "its log:\n") || !strings.Contains(errOut, "missing.wasm: no such file or directory") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "*.log")); err != nil || len(left) > 0 {
		t.Errorf("the directory for temporary files has %v (%v)", left, err)
	}
}

func TestALogKeepsItsNewestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := openBoundedLog(path, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.Repeat("a line of twenty-one\n", 20)+"the last line of all\n", "\n") {
		if n, err := log.Write([]byte(line + "\n")); n != len(line)+1 || err != nil {
			t.Fatalf("%d bytes are written: %v", n, err)
		}
		if text := mustRead(t, path); len(text) > 100 {
			t.Fatalf("the log has %d bytes", len(text))
		}
	}
	if text := mustRead(t, path); !strings.HasSuffix(text, "the last line of all\n\n") || !strings.HasPrefix(text, "a line") {
		t.Errorf("the log is %q", text)
	}
	if tail := logTail(path, 0); !strings.HasSuffix(tail, "the last line of all") {
		t.Errorf("its tail is %q", tail)
	}
	if _, err := log.Write(bytes.Repeat([]byte("x"), 1000)); err != nil {
		t.Fatal(err)
	}
	if text := mustRead(t, path); len(text) > 100 || !strings.HasSuffix(text, "xxx") {
		t.Errorf("after a line that is too long, the log is %q", text)
	}
}
