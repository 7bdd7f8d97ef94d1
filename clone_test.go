package canisterd

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/standin"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// cloned is the id of a canister of mainnet's application subnets, which a network does not have without another subnet.
const cloned = "2ouva-viaaa-aaaaq-aaamq-cai"

func TestAProjectBeginsWithTheKeptSnapshotsOfItsClones(t *testing.T) {
	ctx, folder := t.Context(), t.TempDir()
	write(t, filepath.Join(folder, project.File), "canisters:\n  ledger: {clone: {id: "+cloned+", from: prod}, cycles: 3T}\n")
	if _, err := New(t).Network.DeployProject(ctx, folder); err == nil || !strings.Contains(err.Error(), "canisterd clone "+cloned+" --from prod --take") {
		t.Errorf("without a snapshot the deployment ends with %v", err)
	}

	prod, id := New(t).Network, principal.MustParse(cloned)
	host := cloneHost{prod}
	if err := host.Create(ctx, id, principal.Anonymous, ""); err != nil {
		t.Fatal(err)
	}
	if err := host.Install(ctx, id, canistertest.Fixture("ledger"), nil, false); err != nil {
		t.Fatal(err)
	}
	if err := prod.CanisterAt(id).Call(ctx, "record", 7, "before"); err != nil {
		t.Fatal(err)
	}
	source := &clone.Source{Caller: host.As(principal.Anonymous), From: "prod", Network: "prod"}
	e, err := source.Take(ctx, clone.CacheIn(folder), id)
	if err == nil {
		err = source.DownloadTaken(ctx, e, func(int64, int64) {})
	}
	if err != nil {
		t.Fatal(err)
	}

	kept := files(t, folder)
	n := New(t).Network
	all, err := n.DeployProject(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	if total, err := Query[int](ctx, all["ledger"], "total"); err != nil || total != 7 {
		t.Errorf("the clone has the total %d (%v), want 7", total, err)
	}
	if named, err := n.Canister("ledger"); err != nil || named.ID() != id {
		t.Errorf("the clone is called %v (%v)", named, err)
	}
	if balance, err := all["ledger"].Cycles(ctx); err != nil || balance > 3*T || balance < 3*T-T/1000 {
		t.Errorf("the clone has %d cycles (%v), want 3 T", balance, err)
	}
	if after := files(t, folder); after != kept {
		t.Errorf("the deployment changed the files of the project from\n%s\nto\n%s", kept, after)
	}
}

func TestAProjectBeginsWithTheStandInsOfItsFiles(t *testing.T) {
	ctx, folder := t.Context(), t.TempDir()
	file, err := standin.Write(&standin.Recording{
		Canister: principal.MustParse(cloned), From: "prod", Network: "prod", Interface: "service : { total : () -> (nat) query }",
		Replies: []standin.Reply{{Method: "total", Argument: []byte("DIDL\x00\x00"), Reply: []byte("DIDL\x00\x01\x7d\x07")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, project.File), "canisters:\n  ledger: {clone: {id: "+cloned+", stand_in: ledger.replies.yaml}}\n")
	write(t, filepath.Join(folder, "ledger.replies.yaml"), string(file))
	all, err := New(t).Network.DeployProject(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	if total, err := Query[int](ctx, all["ledger"], "total"); err != nil || total != 7 {
		t.Errorf("the stand-in has the total %d (%v), want 7", total, err)
	}
}

// publisher shows of a canister what runs there, and nothing else.
type publisher struct{ hash [32]byte }

func (publisher) Query(context.Context, principal.Principal, string, []byte) ([]byte, error) {
	return nil, &clone.AnsweredError{Err: errors.New("no such method")}
}

func (publisher) Interface(context.Context, principal.Principal) (string, error) { return "", nil }

func (p publisher) ModuleHash(context.Context, principal.Principal) ([]byte, error) {
	return p.hash[:], nil
}

func TestAProjectBeginsWithThePublishedModulesThatItsFolderKeeps(t *testing.T) {
	trapping, err := wat.Assemble(`(module (func (export "canister_init") (unreachable)))`)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		module    []byte
		installed bool
	}{
		"with an argument":     {canistertest.Fixture("class/branch"), true},
		"that cannot be begun": {trapping, false},
	} {
		t.Run(name, func(t *testing.T) { beginWithPublished(t, row.module, row.installed) })
	}
}

func beginWithPublished(t *testing.T, module []byte, installed bool) {
	t.Helper()
	ctx, folder := t.Context(), t.TempDir()
	const called = "oeee4-qaaaa-aaaak-qaaeq-cai"
	write(t, filepath.Join(folder, project.File), "canisters:\n  ledger:\n    clone:\n      id: "+cloned+"\n      from: prod\n      with_dependencies: true\n      init:\n        "+called+": '(principal \"aaaaa-aa\", record { limit = 9; currencies = vec {} })'\n")
	prod, id := New(t).Network, principal.MustParse(cloned)
	host := cloneHost{prod}
	if err := host.Create(ctx, id, principal.Anonymous, ""); err != nil {
		t.Fatal(err)
	}
	if err := host.Install(ctx, id, canistertest.Fixture("ledger"), nil, false); err != nil {
		t.Fatal(err)
	}
	source := &clone.Source{Caller: host.As(principal.Anonymous), Asker: publisher{sha256.Sum256(module)}, From: "prod", Network: "prod"}
	cache := clone.CacheIn(folder)
	set := &clone.Set{
		Source: source, Cache: cache, Follow: true,
		Fetch: func(ctx context.Context, wanted principal.Principal) (*clone.Entry, error) {
			if wanted != id {
				return nil, &clone.AnsweredError{Err: errors.New("not allowed")}
			}
			e, err := source.Take(ctx, cache, id)
			if err != nil {
				return nil, err
			}
			return e, source.DownloadTaken(ctx, e, func(int64, int64) {})
		},
		Exists: func(context.Context, principal.Principal) (bool, error) { return false, nil },
		Named: func(principal.Principal) []principal.Principal {
			return []principal.Principal{principal.MustParse(called)}
		},
		Known: func([]byte) (*clone.KnownModule, error) {
			return &clone.KnownModule{Name: "a module", Module: module}, nil
		},
	}
	if _, err := set.Gather(ctx, []principal.Principal{id}); err != nil {
		t.Fatal(err)
	}
	n := New(t).Network
	if _, err := n.DeployProject(ctx, folder); err != nil {
		t.Fatal(err)
	}
	found, err := cloneHost{n}.Existing(ctx, principal.MustParse(called))
	if err != nil || found == nil || found.HasCode != installed {
		t.Errorf("the called canister is %+v (%v)", found, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// files lists the files of a folder with the times of their last changes.
func files(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all.WriteString(path + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
