//go:build clients

package e2e

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// hostile does what canisters should not: it loops, recurses and traps without
// end, and takes all the memory it may. "fine" shows that it lives on.
const hostile = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "trap" (func $trap (param i32 i32)))
	(memory (export "memory") 1)
	(data (i32.const 0) "DIDL\00\00")
	(func $spin (loop $again (br $again)))
	(func $deep (param i32) (result i32) (i32.add (i32.const 1) (call $deep (i32.add (local.get 0) (i32.const 1)))))
	(func (export "canister_inspect_message"))
	(func (export "canister_update spin") (call $spin))
	(func (export "canister_query spinning_query") (call $spin))
	(func (export "canister_update deep") (drop (call $deep (i32.const 0))))
	(func (export "canister_update grow") (loop $more (drop (memory.grow (i32.const 1000))) (br $more)))
	(func (export "canister_update trap") (call $trap (i32.const 0) (i32.const 4)))
	(func (export "canister_update long") (call $append (i32.const 0) (i32.const 65536)) (loop $more (call $append (i32.const 0) (i32.const 65536)) (br $more)))
	(func (export "canister_update silent"))
	(func (export "canister_update fine") (call $append (i32.const 0) (i32.const 6)) (call $reply)))`

// open is the same without the check that refuses every message of users.
func open(t *testing.T) string {
	t.Helper()
	text := strings.Replace(hostile, `(func (export "canister_inspect_message"))`, "", 1)
	return assembled(t, text)
}

func assembled(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hostile.wasm")
	if err := os.WriteFile(path, wat.MustAssemble(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAfterAnyFailureTheNextMessageOfACanisterWorks(t *testing.T) {
	d := start(t)
	id := d.command(t, "canister", "create")
	d.command(t, "canister", "install", id, open(t))
	for _, c := range []struct{ how, method, want string }{
		{"query", "spinning_query", "IC0522): Error from Canister " + id + ": Canister exceeded the limit of 5000000000 instructions for single message execution."},
		{"call", "deep", "IC0502): Error from Canister " + id + ": Canister trapped: stack overflow"},
		{"call", "grow", "IC0539): Error from Canister " + id + ": Canister exceeded its current Wasm memory limit of 3221225472 bytes."},
		{"call", "trap", "IC0503): Error from Canister " + id + ": Canister called `ic0.trap` with message: 'DIDL'"},
		{"call", "long", "IC0504): Error from Canister " + id + ": Canister violated contract: ic0.msg_reply_data_append: application payload size (2162688) cannot be larger than 2097152"},
		{"call", "silent", "IC0506): Canister " + id + " did not reply to the call"},
		{"call", "absent", "IC0536): Error from Canister " + id + ": Canister has no update method 'absent'"},
	} {
		if _, err := d.try("canister", c.how, id, c.method); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v\nwant %s", c.how, c.method, err, c.want)
		}
		if got := d.command(t, "canister", "call", id, "fine"); got != "()" {
			t.Errorf("after %s fine says %s", c.method, got)
		}
	}
}

func TestAnEndlessLoopDelaysNoOthersAndStopsWithTheDaemon(t *testing.T) {
	d := start(t)
	looping := d.command(t, "canister", "create")
	d.command(t, "canister", "install", looping, open(t))
	other := d.command(t, "canister", "create")
	d.command(t, "canister", "install", other, fixture("counter"))
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	spin := exec.CommandContext(ctx, d.binary, "--url", d.url, "canister", "call", looping, "spin")
	if err := spin.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- spin.Wait() }()
	for range 20 {
		d.command(t, "canister", "call", other, "inc")
		d.command(t, "status")
	}
	select {
	case err := <-ended:
		t.Fatalf("the endless loop ended (%v) before the updates beside it", err)
	default:
	}
	d.command(t, "stop") // fails after 30 seconds
	if err := <-ended; err == nil {
		t.Error("the endless loop was answered")
	}
	if err := d.cmd.Wait(); err != nil {
		t.Errorf("the daemon ended with %v\n%s", err, d.log)
	}
}

func TestAMessageThatInspectMessageDoesNotAcceptIsTurnedAway(t *testing.T) {
	d := start(t)
	id := d.command(t, "canister", "create")
	d.command(t, "canister", "install", id, assembled(t, hostile))
	if _, err := d.try("canister", "call", id, "fine"); err == nil || !strings.Contains(err.Error(), "IC0406") {
		t.Errorf("fine: %v, want IC0406", err)
	}
}

// Connections that send half a request and go away leave nothing behind, and other clients do not wait for them.
func TestAFloodOfHalfRequestsLeavesTheDaemonAlone(t *testing.T) {
	d := start(t)
	u, err := url.Parse(d.url)
	if err != nil {
		t.Fatal(err)
	}
	half := "POST /api/v4/canister/" + d.first + "/call HTTP/1.1\r\nHost: x\r\nContent-Type: application/cbor\r\nContent-Length: 5000000\r\n\r\nhalf"
	for range 200 {
		c, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := c.Write([]byte(half)); err != nil {
			t.Fatal(err)
		}
	}
	response, err := http.Get(d.url + "/api/v2/status")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status beside the flood: %v", err)
	}
	_ = response.Body.Close()
	d.command(t, "canister", "create")
}

func TestASecondDaemonOnThePortSaysSo(t *testing.T) {
	d := start(t)
	out, err := exec.Command(d.binary, "start", "--ephemeral", "--listen", strings.TrimPrefix(d.url, "http://")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "something listens there already") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A killed daemon misleads no command, and the next one goes on with its network.
func TestAfterAKillTheNextDaemonGoesOn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	d := start(t, "--state-dir", folder)
	id := d.command(t, "canister", "create")
	d.command(t, "canister", "install", id, fixture("counter"))
	if got := d.command(t, "canister", "call", id, "inc"); got != "(1 : nat)" {
		t.Errorf("inc says %s", got)
	}
	if err := d.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = d.cmd.Wait()
	if _, err := d.try("stop"); err == nil || !strings.Contains(err.Error(), "no daemon answers") {
		t.Errorf("stopping a killed daemon: %v", err)
	}
	next := start(t, "--state-dir", folder)
	if got := next.command(t, "canister", "call", id, "inc"); got != "(2 : nat)" {
		t.Errorf("after the kill, inc says %s", got)
	}
}
