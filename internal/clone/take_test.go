package clone_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestAnInterruptedCloneDeletesTheSnapshotThatItTook(t *testing.T) {
	from := mainnet(t)
	id := from.filled(160)
	source, _ := from.source(from.url)
	cache := clone.Cache(filepath.Join(t.TempDir(), "clones"))
	e := from.take(source, cache, id)
	ctx, interrupt := context.WithCancel(from.ctx)
	if err := source.DownloadTaken(ctx, e, func(int64, int64) { interrupt() }); !errors.Is(err, context.Canceled) {
		t.Fatalf("the download ended with %v", err)
	}
	from.keepsNoSnapshot(source, id)
	if _, err := os.Stat(filepath.Dir(e.Folder)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the rest is still in the cache: %v", err)
	}
}

func TestACloneWhoseDirectoryIsForgottenSaysSo(t *testing.T) {
	from := mainnet(t)
	id := from.filled(160)
	source, _ := from.source(from.url)
	cache := clone.Cache(filepath.Join(t.TempDir(), "clones"))
	e := from.take(source, cache, id)
	forget := sync.OnceFunc(func() {
		if err := os.RemoveAll(filepath.Dir(e.Folder)); err != nil {
			t.Error(err)
		}
	})
	err := source.DownloadTaken(from.ctx, e, func(int64, int64) { forget() })
	want := e.Folder + " was removed while the snapshot was read (as canisterd clone forget does): clone again"
	if err == nil || err.Error() != want {
		t.Errorf("the download ended with %v, want %s", err, want)
	}
	from.keepsNoSnapshot(source, id)
	if _, err := os.Stat(filepath.Dir(e.Folder)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cache has it again: %v", err)
	}
}

// A process that is killed after the download leaves the snapshot that it took. The next one deletes it.
func TestASnapshotThatAKilledCloneLeftIsDeleted(t *testing.T) {
	from := mainnet(t)
	id := from.filled(1)
	source, _ := from.source(from.url)
	cache := clone.Cache(filepath.Join(t.TempDir(), "clones"))
	e := from.take(source, cache, id)
	if found, err := source.Unfinished(from.ctx, cache, id); err != nil || found == nil || found.Folder != e.Folder {
		t.Errorf("before the download it is %v (%v)", found, err)
	}
	if err := source.Download(from.ctx, e, untold); err != nil {
		t.Fatal(err)
	}
	if found, err := source.Unfinished(from.ctx, cache, id); err != nil || found != nil {
		t.Errorf("after the download it is %v (%v)", found, err)
	}
	from.keepsNoSnapshot(source, id)
}

func TestASnapshotThatCannotBeDeletedIsNamed(t *testing.T) {
	from := mainnet(t)
	id := from.create("SUBNET_KIND_APPLICATION", nil)
	source, _ := from.source(from.url)
	if err := source.Drop(from.ctx, id, []byte{0, 0, 0, 0, 0, 0, 0, 9, 1}); err == nil || !strings.Contains(err.Error(), "snapshot 000000000000000901 of canister "+id.String()+" could not be deleted at "+from.url) {
		t.Errorf("it is %v", err)
	}
}

// A reject is told at once: the client would try a lost connection again for most of a minute.
func TestOthersThanControllersAreRejectedAtOnce(t *testing.T) {
	from := mainnet(t)
	id := from.filled(1)
	stranger, err := client.Dial(from.ctx, from.url, client.WithRetries(func(err error) { t.Errorf("tried again after %v", err) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stranger.Close)
	source := &clone.Source{Caller: networks.Network{Client: stranger}, From: from.url, Network: "mainnet"}
	_, err = source.Take(from.ctx, clone.Cache(t.TempDir()), id)
	if reject, is := errors.AsType[*client.Reject](err); !is || reject.ErrorCode != "IC0512" {
		t.Errorf("it is %v", err)
	}
}

// Another root key than the one that is trusted proves nothing.
func TestAnswersOfAnotherNetworkAreRefused(t *testing.T) {
	from := mainnet(t)
	id := from.filled(1)
	source, _ := from.source(from.url, client.WithRootKey(networks.MainnetKey()))
	if _, err := source.Newest(from.ctx, id); err == nil || !strings.Contains(err.Error(), "the certificate does not verify") {
		t.Errorf("it is %v", err)
	}
}

func TestACanisterThatExistsIsReplacedOnlyWhereThatIsWanted(t *testing.T) {
	from, to := mainnet(t), local(t)
	id := from.create("SUBNET_KIND_APPLICATION", nil)
	from.install(id, fixture(t, "ledger"), empty)
	from.send(id, message{method: "record", text: `(7, "before")`})
	if _, err := from.Canisters.StopCanister(from.ctx, &controlv1.StopCanisterRequest{CanisterId: id.String()}); err != nil {
		t.Fatal(err)
	}
	source, _ := from.source(from.url)
	e, _ := to.taken(source, clone.Cache(filepath.Join(t.TempDir(), "clones")), id)
	if status := to.canister(id).GetStatus(); status != controlv1.CanisterStatus_CANISTER_STATUS_STOPPED {
		t.Errorf("the clone of a stopped canister is %s", status)
	}
	total := func(want string) {
		t.Helper()
		if _, err := to.Canisters.StartCanister(to.ctx, &controlv1.StartCanisterRequest{CanisterId: id.String()}); err != nil {
			t.Fatal(err)
		}
		if got := to.send(id, message{method: "total", text: "()", query: true}); got != "DIDL\x00\x01\x7d"+want {
			t.Errorf("the total is %q", got)
		}
	}
	total("\x07")
	to.send(id, message{method: "record", text: `(9, "after")`})
	_, err := to.destination().Load(to.ctx, id, e, clone.LoadOptions{Controller: developer})
	if exists, is := errors.AsType[*clone.ExistsError](err); !is || exists.Canister != id {
		t.Errorf("it is %v", err)
	}
	total("\x10")
	if _, err := to.destination().Load(to.ctx, id, e, clone.LoadOptions{Controller: developer, Replace: true, Cycles: "5000000000000"}); err != nil {
		t.Fatal(err)
	}
	total("\x07")
}

func TestTheCacheIsPrivateAndForgets(t *testing.T) {
	from, to := mainnet(t), local(t)
	id := from.create("SUBNET_KIND_APPLICATION", nil)
	from.install(id, fixture(t, "ledger"), empty)
	source, _ := from.source(from.url)
	cache := clone.Cache(filepath.Join(t.TempDir(), "clones"))
	e, _ := to.taken(source, cache, id)
	for path, mode := range map[string]os.FileMode{string(cache): 0o700, e.Folder: 0o700, filepath.Join(e.Folder, "wasm_memory.bin"): 0o600, filepath.Join(e.Folder, "clone.json"): 0o600} {
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("%s: %v (%v), want %v", path, info.Mode(), err, mode)
		}
	}
	if newest, err := cache.Newest(id, from.url); err != nil || newest == nil || newest.Folder != e.Folder {
		t.Errorf("the newest is %v (%v)", newest, err)
	}
	other := &clone.Source{Caller: source.Caller, From: "elsewhere", Network: "another"}
	if _, err := other.Use(from.ctx, cache, id, e.Record.Snapshot); err == nil || !strings.Contains(err.Error(), "has a snapshot of the same id from another network ("+from.url+")") {
		t.Errorf("the same id of another network: %v", err)
	}
	if ids, err := cache.Canisters(); err != nil || len(ids) != 1 || ids[0] != id {
		t.Errorf("the cache has %v (%v)", ids, err)
	}
	if removed, err := cache.Forget(id); err != nil || removed < 5_000_000 {
		t.Errorf("%d bytes are removed (%v)", removed, err)
	}
	if _, err := cache.Forget(principal.Canister(1)); err == nil || !strings.Contains(err.Error(), "no snapshots of") {
		t.Errorf("nothing to forget: %v", err)
	}
}

func TestACloneHasAtMostTenControllers(t *testing.T) {
	from, to := mainnet(t), local(t)
	source, sender := from.source(from.url)
	for others, dropped := range map[int]int{8: 0, 9: 1} {
		controllers := &controlv1.Controllers{Principals: []string{sender.String()}}
		for i := range others {
			controllers.Principals = append(controllers.Principals, principal.SelfAuthenticating([]byte{byte(i)}).String())
		}
		id := from.create("SUBNET_KIND_APPLICATION", &controlv1.Settings{Controllers: controllers})
		from.install(id, fixture(t, "ledger"), empty)
		_, done := to.taken(source, clone.Cache(filepath.Join(t.TempDir(), "clones")), id)
		if got := to.canister(id).GetSettings().GetControllers().GetPrincipals(); len(got) != others+2-dropped || len(done.Dropped) != dropped {
			t.Errorf("of %d controllers the clone has %d, and %v are left out", others+1, len(got), done.Dropped)
		}
	}
}

// Taking: a request of 500 bytes, 2,000 M instructions and one for each byte. Reading: for each 2 MB a request and 5 M
// instructions, and one for each byte.
func TestTheCostOfASnapshotIsThatOfMainnet(t *testing.T) {
	cost := clone.CostOf(10_000_000)
	if take, read := cost.Take.String(), cost.Read.String(); take != "2012200000" || read != "46000000" || cost.Memory != 10_000_000 {
		t.Errorf("taking costs %s, reading %s", take, read)
	}
}
