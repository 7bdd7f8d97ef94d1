package daemon

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// started is a daemon on any free port. Closing it twice is fine.
func started(t *testing.T, config Config) *Daemon {
	t.Helper()
	config.Listen, config.CacheDir = "127.0.0.1:0", canistertest.CacheDir(t)
	if config.CompileWorker != nil {
		config.CacheDir = t.TempDir() // so that the worker has something to compile
	}
	d, err := Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return d
}

// nothingIsLeft waits until all goroutines have ended but those that were there before.
func nothingIsLeft(t *testing.T, before goleak.Option) {
	t.Helper()
	var left error
	defer func() {
		if left != nil {
			t.Error(left)
		}
	}()
	eventually.True(t, "the end of all goroutines", func() bool {
		left = goleak.Find(before)
		return left == nil
	})
}

// user is a client of a daemon over HTTP.
type user struct {
	*testing.T
	*client.Client
	ctx context.Context
}

func userOf(t *testing.T, d *Daemon) user {
	t.Helper()
	return userAt(t, d.URL())
}

func userAt(t *testing.T, url string) user {
	t.Helper()
	ctx := eventually.Context(t)
	c, err := client.Dial(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return user{t, c, ctx}
}

func (u user) manage(effective principal.Principal, method string, arg, reply any) {
	u.Helper()
	encoded, err := candid.Marshal(arg)
	if err != nil {
		u.Fatal(err)
	}
	answer, err := u.Call(u.ctx, principal.Management, effective, method, encoded)
	if err != nil {
		u.Fatalf("%s: %v", method, err)
	}
	if reply != nil {
		if err := candid.Unmarshal(answer, reply); err != nil {
			u.Fatal(err)
		}
	}
}

// deploy creates a canister and installs a module.
func (u user) deploy(module []byte) principal.Principal {
	u.Helper()
	return u.deployWith(module, []byte("DIDL\x00\x00"))
}

func (u user) deployWith(module, arg []byte) principal.Principal {
	u.Helper()
	home, err := u.Home(u.ctx)
	if err != nil {
		u.Fatal(err)
	}
	var created struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	u.manage(home, "provisional_create_canister_with_cycles", struct{}{}, &created)
	type mode struct {
		Install *candid.Null `ic:"install,variant"`
	}
	u.manage(created.Canister, "install_code", struct {
		Mode     mode                `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{mode{&candid.Null{}}, created.Canister, module, arg}, nil)
	return created.Canister
}

func motoko(t *testing.T, name string) []byte {
	t.Helper()
	module, err := os.ReadFile(filepath.Join("..", "test", "canistertest", "fixtures", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// busy waits until a message of an idle network is under way.
func (u user) busy(d *Daemon) {
	u.Helper()
	for busy := false; !busy; {
		if err := d.Driver().Do(u.ctx, func(n *replica.Network) { busy = n.Activity().HasDueWork }); err != nil {
			u.Fatal(err)
		}
	}
}

// endless has an update that never ends by itself.
const endless = `(module
	(func (export "canister_update spin") (loop $again (br $again))))`

func TestCloseFreesEverythingStartTook(t *testing.T) {
	before := goleak.IgnoreCurrent()
	d, err := Start(t.Context(), Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	u := userOf(t, d)
	id := u.deploy(motoko(t, "counter"))
	if _, err := u.Call(u.ctx, id, id, "inc", []byte("DIDL\x00\x00")); err != nil {
		t.Fatal(err)
	}
	u.Close()
	if err := d.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("Close once more: %v", err)
	}
	nothingIsLeft(t, before)
}

func TestAClientThatGoesAwayMidCallLeavesNothing(t *testing.T) {
	d := started(t, Config{})
	u := userOf(t, d)
	id := u.deploy(wat.MustAssemble(endless))
	u.Close()
	before := goleak.IgnoreCurrent()
	ctx, leave := context.WithCancel(u.ctx)
	gone := make(chan error)
	go func() {
		_, err := u.Call(ctx, id, id, "spin", nil)
		gone <- err
	}()
	u.busy(d)
	leave()
	if err := <-gone; err == nil {
		t.Error("an endless loop was answered")
	}
	u.Close()
	nothingIsLeft(t, before)
}

func TestTwoDaemonsRunSideBySide(t *testing.T) {
	cache := canistertest.CacheDir(t)
	for range 2 {
		d, err := Start(t.Context(), Config{Listen: "127.0.0.1:0", CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}()
		u := userOf(t, d)
		id := u.deploy(motoko(t, "counter"))
		reply, err := u.Call(u.ctx, id, id, "inc", []byte("DIDL\x00\x00"))
		if err != nil || string(reply) != "DIDL\x00\x01\x7d\x01" {
			t.Errorf("inc() = %x (%v), want 1", reply, err)
		}
	}
}

func TestATakenPortIsAClearError(t *testing.T) {
	d := started(t, Config{})
	address := strings.TrimPrefix(d.URL(), "http://")
	before := goleak.IgnoreCurrent()
	for listen, want := range map[string]string{
		address:         "listening on " + address + ": something listens there already: stop it (canisterd stop) or take another port",
		"nowhere":       `listening on "nowhere", which must be host:port`,
		"127.0.0.1:-13": `listening on "127.0.0.1:-13", which must be host:port`,
	} {
		_, err := Start(t.Context(), Config{Listen: listen, CacheDir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Start on %s gives %v, want %q", listen, err, want)
		}
	}
	nothingIsLeft(t, before)
}

func TestManualPacingMovesNothingByItself(t *testing.T) {
	d := started(t, Config{Pacing: Manual})
	u := userOf(t, d)
	first := d.Driver().View()
	if _, err := u.Status(u.ctx); err != nil {
		t.Fatal(err)
	}
	if v := d.Driver().View(); v.Height != first.Height || v.Time != first.Time {
		t.Errorf("height %d, time %d became %d, %d", first.Height, first.Time, v.Height, v.Time)
	}
	later := first.Time + uint64(time.Hour)
	if err := d.Driver().AdvanceTo(u.ctx, later); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Driver().Round(u.ctx); err != nil {
		t.Fatal(err)
	}
	if v := d.Driver().View(); v.Height != first.Height+1 || v.Time != later {
		t.Errorf("after a round height %d, time %d, want %d, %d", v.Height, v.Time, first.Height+1, later)
	}
}

func TestTimersFireWhenTheWallClockMoves(t *testing.T) {
	d := started(t, Config{})
	u := userOf(t, d)
	id := u.deploy(motoko(t, "clock"))
	arg, err := candid.Marshal(uint64(30_000_000)) // nanoseconds between two ticks
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Call(u.ctx, id, id, "start", arg); err != nil {
		t.Fatal(err)
	}
	for ticks := byte(0); ticks < 3; {
		reply, err := u.Query(u.ctx, id, id, "count", []byte("DIDL\x00\x00"))
		if err != nil {
			t.Fatalf("after %d ticks: %v", ticks, err)
		}
		ticks = reply[len(reply)-1]
	}
}

// While a canister writes gigabytes, the network's owner cannot answer; the status endpoint does.
func TestTheStatusIsAnsweredWhileTheNetworkIsBusy(t *testing.T) {
	d := started(t, Config{})
	begun, release := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- d.Driver().Do(t.Context(), func(*replica.Network) { close(begun); <-release })
	}()
	<-begun
	response, err := http.Get(d.URL() + "/api/v2/status")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("status: %v (%v)", response, err)
	} else if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestCloseEndsAnEndlessLoop(t *testing.T) {
	t.Parallel() // it waits for three seconds
	d := started(t, Config{})
	u := userOf(t, d)
	id := u.deploy(wat.MustAssemble(endless))
	ctx, leave := context.WithCancel(u.ctx)
	defer leave()
	ended := make(chan error)
	go func() {
		_, err := u.Call(ctx, id, id, "spin", nil)
		ended <- err
	}()
	u.busy(d)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("an endless loop was answered")
	}
}
