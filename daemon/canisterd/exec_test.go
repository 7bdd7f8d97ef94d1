package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
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
