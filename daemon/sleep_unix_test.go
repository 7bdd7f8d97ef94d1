//go:build unix

package daemon

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// sleeper starts a process with such a daemon. end closes its standard input.
func sleeper(t *testing.T, folder string) (process *exec.Cmd, url string, end func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process = exec.Command(self)
	process.Env = append(os.Environ(), AsSleeper+"="+folder)
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill() }) // if the test has failed
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return process, strings.TrimSpace(line), func() {
		_ = in.Close()
		if err := process.Wait(); err != nil {
			t.Errorf("the daemon ends with %v", err)
		}
	}
}

// sendingConn is a client's connection of gRPC that says when it has sent a message.
type sendingConn struct {
	net.Conn
	sent chan<- struct{}
}

func (c *sendingConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	for rest := bytes.TrimPrefix(p, []byte(preface)); len(rest) >= 9; { // a write is of whole frames of HTTP/2
		if kind := rest[3]; kind == 0 && err == nil {
			c.sent <- struct{}{}
		}
		size := int(rest[0])<<16 | int(rest[1])<<8 | int(rest[2])
		rest = rest[min(9+size, len(rest)):]
	}
	return n, err
}

// sending is a gRPC client of a daemon. Each small message that it has sent is received from the channel.
func sending(t *testing.T, url string) (calls controlv1.CallsClient, sent <-chan struct{}) {
	t.Helper()
	messages := make(chan struct{}, 100)
	client, err := grpc.NewClient("passthrough:///"+strings.TrimPrefix(url, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
			return &sendingConn{conn, messages}, err
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return controlv1.NewCallsClient(client), messages
}

// TestAProcessThatIsStoppedForAnHourGoesOn stops the process of a daemon as a lid that is closed does, and moves its wall
// clock by an hour meanwhile. A call that a client made in the meantime is answered, a message that was signed before the
// sleep has expired, and the network goes on from its directory in a process whose clock is an hour behind.
func TestAProcessThatIsStoppedForAnHourGoesOn(t *testing.T) {
	folder := t.TempDir()
	process, url, end := sleeper(t, folder)
	d, err := remote.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	ctx := t.Context()
	created, err := d.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{})
	if err != nil {
		t.Fatal(err)
	}
	id := created.GetCanisterId()
	if _, err := d.Install(ctx, &controlv1.InstallHead{CanisterId: id}, bytes.NewReader(motoko(t, "counter")), nil); err != nil {
		t.Fatal(err)
	}
	counting := func(calls controlv1.CallsClient) string {
		r, err := calls.Update(ctx, &controlv1.UpdateRequest{Call: &controlv1.Call{CanisterId: id, Method: "inc", ReplyForm: controlv1.Form_FORM_TEXT}})
		if err != nil {
			return err.Error()
		}
		return r.GetOutcome().GetReply().GetText()
	}
	count := func() string { return counting(d.Calls) }
	later, sent := sending(t, url)
	clock := func() time.Time {
		r, err := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return r.GetInstance().GetTime().AsTime()
	}
	if got := counting(later); got != "(1 : nat)" {
		t.Fatalf("the counter says %s", got)
	}
	eventually.Receive(t, "the first call", sent)
	before := clock()
	if err := process.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for status := syscall.WaitStatus(0); !status.Stopped(); {
		if _, err := syscall.Wait4(process.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil {
			t.Fatal(err)
		}
	}
	answer := make(chan string, 1)
	go func() { answer <- counting(later) }()
	eventually.Receive(t, "the call that is made meanwhile", sent)
	if err := os.WriteFile(filepath.Join(folder, slept), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-answer:
		t.Errorf("a process that is stopped answers %s", got)
	default:
	}
	if err := process.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; got != "(2 : nat)" {
		t.Errorf("after the sleep, a call that waits has the answer %s", got)
	}
	if got := count(); got != "(3 : nat)" {
		t.Errorf("after the sleep, the counter says %s", got)
	}
	if passed := clock().Sub(before); passed < time.Hour || passed > time.Hour+10*time.Minute {
		t.Errorf("%s have passed for the network", passed)
	}
	canister, err := principal.Parse(id)
	if err != nil {
		t.Fatal(err)
	}
	u := userAt(t, url)
	if _, err := u.Call(u.ctx, canister, canister, "inc", []byte("DIDL\x00\x00")); err == nil || !strings.Contains(err.Error(), "expir") {
		t.Errorf("a message that was signed before the sleep: %v", err)
	}
	end()
	again, err := kept(t, filepath.Join(folder, "state"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := userOf(t, again).Call(ctx, canister, canister, "inc", []byte("DIDL\x00\x00")); err != nil || !strings.HasSuffix(string(reply), "\x04") {
		t.Errorf("with a clock an hour behind, the counter says %q: %v", reply, err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
