package deploy_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	"github.com/canisterd/canisterd/internal/control/deploy"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/standin"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestMain(m *testing.M) { os.Exit(canistertest.Main(m)) }

// connected starts a daemon, and returns a client of it.
func connected(t *testing.T) *remote.Daemon {
	t.Helper()
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := remote.Dial(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

const ledger = "2ouva-viaaa-aaaaq-aaamq-cai"

// prepare makes a ledger with one entry in the default instance.
func prepare(ctx context.Context, t *testing.T, d *remote.Daemon) {
	t.Helper()
	_, err := d.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{CanisterId: ledger, AddSubnet: true})
	if err == nil {
		_, err = d.Install(ctx, &controlv1.InstallHead{CanisterId: ledger}, bytes.NewReader(canistertest.Fixture("ledger")), nil)
	}
	if err == nil {
		_, err = d.Calls.Update(ctx, &controlv1.UpdateRequest{Call: &controlv1.Call{CanisterId: ledger, Method: "record", Argument: text(`(7, "before")`)}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func text(candid string) *controlv1.Value {
	return &controlv1.Value{Form: &controlv1.Value_Text{Text: candid}}
}

func TestAFreshDeploymentMakesClonesOfTheKeptSnapshotAlone(t *testing.T) {
	d, ctx, folder := connected(t), eventually.Context(t), t.TempDir()
	prepare(ctx, t, d)
	yaml := "canisters:\n  ledger: {clone: {id: " + ledger + ", from: prod}, cycles: 3T}\n"
	if err := os.WriteFile(filepath.Join(folder, project.File), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := project.Read(folder, project.Inside)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{Instance: "lab"}); err != nil {
		t.Fatal(err)
	}
	lab := deploy.Target{Daemon: d, Instance: "lab"}
	if _, err := lab.Fresh(ctx, p); err == nil || !strings.Contains(err.Error(), "canisterd clone "+ledger+" --from prod --take") {
		t.Errorf("without a snapshot the deployment ends with %v", err)
	}

	id := principal.MustParse(ledger)
	source := &clone.Source{Caller: networks.Instance{Daemon: d}, From: "prod", Network: "prod"}
	e, err := source.Take(ctx, clone.CacheIn(folder), id)
	if err == nil {
		err = source.DownloadTaken(ctx, e, func(int64, int64) {})
	}
	if err == nil {
		_, err = d.Canisters.DeleteCanister(ctx, &controlv1.DeleteCanisterRequest{CanisterId: ledger, Stop: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	ids, err := lab.Fresh(ctx, p)
	if err != nil || ids["ledger"] != ledger {
		t.Fatalf("the deployment has the canisters %v (%v)", ids, err)
	}
	got, err := d.Calls.Query(ctx, &controlv1.QueryRequest{Instance: "lab", Call: &controlv1.Call{CanisterId: ledger, Method: "total", ReplyForm: controlv1.Form_FORM_TEXT}})
	if err != nil || got.GetOutcome().GetReply().GetText() != "(7 : nat)" {
		t.Errorf("the clone has the total %v (%v)", got.GetOutcome(), err)
	}
	found, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: "lab", CanisterId: ledger})
	if err != nil || !strings.HasPrefix(found.GetCanister().GetCycles(), "29999") { // less what its start costs
		t.Errorf("the clone has %s cycles (%v)", found.GetCanister().GetCycles(), err)
	}
}

func TestAFreshDeploymentMakesStandInsOfTheirFiles(t *testing.T) {
	d, ctx, folder := connected(t), eventually.Context(t), t.TempDir()
	yaml := "canisters:\n  ledger: {clone: {id: " + ledger + ", stand_in: ledger.replies.yaml}}\n"
	recording := &standin.Recording{
		Canister: principal.MustParse(ledger), From: "prod", Network: "prod", Interface: "service : { total : () -> (nat) query }",
		Replies: []standin.Reply{{Method: "total", Argument: []byte("DIDL\x00\x00"), Reply: []byte("DIDL\x00\x01\x7d\x07")}},
	}
	file, err := standin.Write(recording)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{project.File: []byte(yaml), "ledger.replies.yaml": file} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Read(folder, project.Inside)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := deploy.Target{Daemon: d}.Fresh(ctx, p)
	if err != nil || ids["ledger"] != ledger {
		t.Fatalf("the deployment has the canisters %v (%v)", ids, err)
	}
	got, err := d.Calls.Query(ctx, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: ledger, Method: "total", ReplyForm: controlv1.Form_FORM_TEXT}})
	if err != nil || got.GetOutcome().GetReply().GetText() != "(7 : nat)" {
		t.Errorf("the stand-in has the total %v (%v)", got.GetOutcome(), err)
	}
}
