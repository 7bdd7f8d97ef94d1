package canisterd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/standin"
	"github.com/canisterd/canisterd/test/canistertest"
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
	if err := host.Install(ctx, id, canistertest.Fixture("ledger"), false); err != nil {
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
