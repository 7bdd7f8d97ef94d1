//go:build clients && linux

package e2e

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// printer is a canister that prints a line.
const printer = `(module
	(import "ic0" "debug_print" (func $print (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(memory 1)
	(data (i32.const 0) "printed")
	(func (export "canister_update print")
		(call $print (i32.const 0) (i32.const 7))
		(call $reply)))`

// killedClient starts a client in a process group of its own, kills it once it has used its server, and gives the
// address of the server and the group.
func killedClient(t *testing.T, env []string) (url string, group int) {
	t.Helper()
	cmd := exec.Command("node", "killed.mjs")
	cmd.Dir, cmd.Env = "pocketic", append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var diagnostics bytes.Buffer
	cmd.Stderr = &diagnostics
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = cmd.Process.Kill() // where it has failed, it has ended
	_ = cmd.Wait()         // by the signal
	if err != nil {
		t.Fatalf("the client has not used its server: %v\n%s", err, diagnostics.Bytes())
	}
	return strings.TrimSpace(line), cmd.Process.Pid
}

// The clients have one parent and one folder, so they share the server that the first one has started. Its output goes
// into pipes that nothing reads after that client was killed.
func TestAClientThatWasKilledLeavesNothingThatStopsTheNextOne(t *testing.T) {
	folder := t.TempDir()
	env := []string{"POCKET_IC_BIN=" + pocketIC(t, "pocket-ic"), "TMPDIR=" + folder, "CANISTERD_PRINTER=" + assembled(t, printer)}
	first, group := killedClient(t, env)
	if second, _ := killedClient(t, env); second != first {
		t.Errorf("the second client uses %s, want the server of the first one, %s", second, first)
	}
	if err := syscall.Kill(-group, syscall.SIGTERM); err != nil {
		t.Fatalf("the server has ended with its client: %v", err)
	}
	for t.Context().Err() == nil {
		if left, err := filepath.Glob(filepath.Join(folder, "*.port")); err != nil || len(left) == 0 {
			break
		}
	}
	if next, group := killedClient(t, env); next == first {
		t.Errorf("the client uses %s, whose server has ended", next)
	} else if err := syscall.Kill(-group, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}
