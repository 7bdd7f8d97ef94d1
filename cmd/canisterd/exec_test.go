package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
)

func TestACommandHasADaemonOfItsOwnWhereNoneRuns(t *testing.T) {
	code, out, errOut := invoke(t, "exec", "--", "printenv", "CANISTERD_URL", "CANISTERD_INSTANCE", "CANISTERD_HTTP")
	lines := strings.Fields(out)
	if code != exitOK || len(lines) != 3 || !strings.HasPrefix(lines[0], "http://127.0.0.1:") || !strings.HasPrefix(lines[2], "http://127.0.0.1:") {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, out, errOut)
	}
	if code, _, errOut := invoke(t, "--url", lines[0], "instance", "list"); code != exitFailed || !strings.Contains(errOut, "no daemon answers") {
		t.Errorf("the daemon of the command is still there: exit code %d, %s", code, errOut)
	}
}

func TestACommandThatIsInterruptedLeavesNothingBehind(t *testing.T) {
	t.Setenv("CANISTERD_URL", "http://127.0.0.1:1")
	ctx, cancel := context.WithCancel(context.Background())
	var out, errOut bytes.Buffer
	started := make(chan struct{})
	go func() {
		<-started
		cancel()
	}()
	code := run(ctx, []string{"exec", "--", "sh", "-c", "trap 'exit 3' INT TERM; echo started; sleep 60 >/dev/null 2>&1 & wait"}, &signalling{to: &out, first: started}, &errOut)
	if code == exitOK {
		t.Errorf("an interrupted command succeeded: %q %q", out.String(), errOut.String())
	}
}

// signalling says when something is first written.
type signalling struct {
	to    *bytes.Buffer
	first chan struct{}
}

func (s *signalling) Write(p []byte) (int, error) {
	if s.first != nil {
		close(s.first)
		s.first = nil
	}
	return s.to.Write(p)
}

func TestACommandThatASignalEndsHasTheExitCodeThatShellsGiveIt(t *testing.T) {
	for command, want := range map[string]int{"kill -TERM $$": 143, "kill -KILL $$": 137, "exit 7": 7, "exit 0": 0} {
		if code, _, errOut := invoke(t, "exec", "--", "sh", "-c", command); code != want || errOut != "" {
			t.Errorf("%s: exit code %d, stderr %q, want %d", command, code, errOut, want)
		}
	}
}

func TestACommandReachesTheDaemonThatExecReached(t *testing.T) {
	socket := "unix://" + filepath.Join(t.TempDir(), "socket")
	serving(t, daemon.Control{Address: socket})
	t.Setenv("CANISTERD_CONTROL", "127.0.0.1:1")
	if code, out, errOut := invoke(t, "--control", socket, "exec", "--", "printenv", "CANISTERD_CONTROL"); code != exitOK || strings.TrimSpace(out) != socket {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errOut)
	}
	// Of a daemon that is started for the command, the variable of the user is not true.
	if code, out, errOut := invoke(t, "exec", "--", "printenv", "CANISTERD_CONTROL"); code != exitOK || strings.TrimSpace(out) != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errOut)
	}
}

func TestInterruptedWorkIsNotAFailureOfTheDaemon(t *testing.T) {
	t.Setenv("CANISTERD_URL", serving(t, daemon.Control{}).URL())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for args, want := range map[string]int{"held --wait": exitInterrupted, "events": exitOK, "--json run": exitInterrupted} {
		var out, errOut bytes.Buffer
		code := run(ctx, strings.Fields(args), &out, &errOut)
		if code != want || strings.Contains(errOut.String(), "context") {
			t.Errorf("canisterd %s: exit code %d, stderr %q, want %d", args, code, errOut.String(), want)
		}
	}
}

func TestACommandFindsThisProgramOnItsPath(t *testing.T) {
	t.Setenv(pathVariable, t.TempDir())
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if at, err := found(filepath.Base(own), withOwnFolder(os.Environ())); err != nil || at != own {
		t.Errorf("%s is found at %q (%v)", filepath.Base(own), at, err)
	}
	if _, err := found("sh", withOwnFolder(os.Environ())); err == nil {
		t.Error("a command is found that is not on the path")
	}
}
