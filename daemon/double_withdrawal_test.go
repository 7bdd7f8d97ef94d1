package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
)

// withdrawTwice lets a user withdraw 100 twice from a bank with 100: the answer of the vault is held until the second
// withdrawal is at the bank. Both are paid. It gives the vault.
func withdrawTwice(t *testing.T, d *Daemon) (vault principal.Principal) {
	u := userOf(t, d)
	defer u.Close()
	module := func(name string) []byte {
		code, err := os.ReadFile(filepath.Join("..", "examples", "doublewithdraw", name+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	encode := func(value any) []byte {
		arg, err := candid.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return arg
	}
	bank := u.deploy(module("bank"))
	vault = u.deploy(module("vault"))
	call := func(canister principal.Principal, method string, arg []byte) []byte {
		reply, err := u.Call(u.ctx, canister, canister, method, arg)
		if err != nil {
			t.Error(err)
		}
		return reply
	}
	call(bank, "open", encode(vault.String()))
	call(bank, "deposit", encode(candid.NatOf(100)))
	rule, err := d.Driver().Apply(u.ctx, &replica.AddRule{Rule: replica.Rule{
		Match:  replica.Match{Kind: replica.KindResponse, Caller: &bank, Times: 1},
		Action: replica.Action{Kind: replica.ActHold},
	}})
	if err != nil {
		t.Fatal(err)
	}
	replies := make(chan []byte, 2)
	withdraw := func() { replies <- call(bank, "withdraw", encode(candid.NatOf(100))) }
	go withdraw()
	held, err := d.Driver().AwaitHeld(u.ctx, rule.Rule)
	if err != nil {
		t.Fatal(err)
	}
	go withdraw()
	first := <-replies // the second withdrawal: the first one waits
	if _, err := d.Driver().Apply(u.ctx, replica.ReleaseHeld{ID: held.ID}); err != nil {
		t.Fatal(err)
	}
	<-replies
	if paid := paidOut(t, d, vault); paid != "200" {
		t.Fatalf("%s is paid, and the second withdrawal replied %x", paid, first)
	}
	return vault
}

// paidOut is what a vault has paid.
func paidOut(t *testing.T, d *Daemon, vault principal.Principal) string {
	u := userOf(t, d)
	defer u.Close()
	reply, err := u.Query(u.ctx, vault, vault, "paidOut", []byte("DIDL\x00\x00"))
	if err != nil {
		t.Fatal(err)
	}
	var paid candid.Nat
	if err := candid.Unmarshal(reply, &paid); err != nil {
		t.Fatal(err)
	}
	return paid.String()
}

// recordedTraces are the call trees of the newest messages of users, without what a stopwatch measured.
func recordedTraces(t *testing.T, d *Daemon, count int) (texts []string) {
	stream, err := d.Driver().Events(t.Context(), driver.From{Beginning: true}, driver.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var events []replica.Event
	for {
		e, ok, err := stream.Recorded()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		e.Event.Wall = 0
		events = append(events, e.Event)
	}
	texts, err = driver.Ask(t.Context(), d.first.Driver(), func(n *replica.Network) []string {
		return instance.Traces{Newest: count}.Texts(events, n, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestAJournalOfTheDoubleWithdrawalReplaysFromAFileToTheSameTraces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	d, err := kept(t, dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	recordedTraces(t, d, 0) // from here on, events are recorded
	withdrawTwice(t, d)
	want := recordedTraces(t, d, 8)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := ExportState(dir, &file); err != nil {
		t.Fatal(err)
	}
	got, err := ReplayFile(t.Context(), &file, Config{CacheDir: canistertest.CacheDir(t)}, Traces{Newest: 8})
	if err != nil || got.Checkpoints == 0 {
		t.Fatalf("the replay: %+v: %v", got, err)
	}
	if !slices.Equal(got.Traces, want) {
		t.Errorf("the traces of the replay are\n%s\nand of the network\n%s", strings.Join(got.Traces, "\n"), strings.Join(want, "\n"))
	}
	if last := want[len(want)-1]; !strings.Contains(last, "withdraw") || !strings.Contains(last, ".transfer") {
		t.Errorf("the last trace is\n%s", last)
	}
}

func TestANetworkGoesOnFromACopyOfItsStateDirectory(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "copy")
	d, err := kept(t, dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	vault := withdrawTwice(t, d)
	key := d.RootKey()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(other, 0o700); err != nil { // CopyFS does not keep the mode, as cp -r does
		t.Fatal(err)
	}
	if d, err = kept(t, other, Config{}); err != nil {
		t.Fatal(err)
	}
	if paid := paidOut(t, d, vault); paid != "200" || !bytes.Equal(d.RootKey(), key) {
		t.Errorf("in the copy %s is paid, and the root key is %x, not %x", paid, d.RootKey(), key)
	}
	withdrawTwice(t, d)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
