package rehearse_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/rehearse"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestMain(m *testing.M) { os.Exit(canistertest.Main(m)) }

const corpus = "../../examples/upgrades"

// kind is one entry of the corpus: what is called before the rehearsal, what is rehearsed, and what is found in bad.
type kind struct {
	folder  string
	calls   []string // of updates without arguments, or with Candid text after a space
	open    string   // an update that is open: its request to confirm is held
	queries []string
	ops     []string
	twin    string // the module that is upgraded to good; "": old
	check   string // fails for bad
	finding string
}

var kinds = []kind{
	{folder: "01-changed-meaning", calls: []string{"deposit (250)"}, check: "queries", finding: "cents: (250 : nat) became (25 : nat)"},
	{folder: "02-array-to-var", check: "stable variables", finding: "balances: [Nat] became [var Nat]"},
	{folder: "03-dropped-timer", calls: []string{"start ()"}, check: "timers", finding: "the global timer was armed for 2030-01-01T01:00:00"},
	{folder: "04-post-upgrade-grows", ops: []string{`add ("Augusta Ada King, Countess of Lovelace")`}, check: "instructions", finding: "after 64 calls), so it exceeds the limit after about "},
	{folder: "05-callback-gone", open: "pay", queries: []string{"total"}, check: "calls in flight", finding: "the call of pay by a user gets a reply without the upgrade, and is rejected after it: Canister "},
	{folder: "06-64-bit", open: "pay", queries: []string{"total"}, check: "calls in flight", finding: "the heap changed from 32-bit to 64-bit addresses while calls were open (1)"},
	{folder: "07-two-managers", calls: []string{`add ("Ada")`}, check: "stable memory", finding: `it began with the memory manager of ic-stable-structures ("MGR\x01\x01\x00\x80\x00"), and begins with other data ("`},
	{folder: "08-method-type", check: "interface", finding: "total: in result 0: int is not a subtype of nat"},
	{folder: "09-migration-twice", queries: []string{"cents"}, check: "second upgrade", finding: "cents: (250 : nat) became (2_500 : nat)"},
	{folder: "10-moved-callback", open: "pay", queries: []string{"total"}, check: "queries", finding: "total: (100 : nat64) became (0 : nat64)"},
	{folder: "11-open-await", open: "pay", queries: []string{"total"}, twin: "good-old", check: "upgrade", finding: "canister_pre_upgrade attempted with outstanding message callbacks"},
}

func TestEachKindIsFoundAndItsTwinPassesWithoutAWarning(t *testing.T) {
	s := started(t)
	for _, k := range kinds {
		t.Run(k.folder, func(t *testing.T) {
			p := s.prepared(t, k, "old")
			bad := s.rehearsed(t, p, module(t, k.folder, "bad"))
			if found := findings(bad, k.check); bad.Result != rehearse.Failed || !strings.Contains(found, k.finding) {
				t.Errorf("bad: %s, %s: want a finding with %q\n%s", bad.Result, k.check, k.finding, text(bad))
			}
			if k.twin != "" {
				p = s.prepared(t, k, k.twin)
			}
			good := s.rehearsed(t, p, module(t, k.folder, "good"))
			if good.Result != rehearse.Passed {
				t.Errorf("good: %s\n%s", good.Result, text(good))
			}
		})
	}
}

// rehearsed rehearses an upgrade to a module. The instance must have the same state afterwards, and the daemon the same
// instances.
func (s server) rehearsed(t *testing.T, p *rehearse.Plan, module []byte) *rehearse.Verdict {
	t.Helper()
	hash, file, instances := s.stateHash(t, p.Instance), s.export(t, p.Instance), s.instances(t)
	p.Module = module
	verdict := run(t, p)
	if after := s.stateHash(t, p.Instance); after != hash {
		t.Errorf("the rehearsal has changed the instance: its state hash is %x, and was %x", after, hash)
	}
	if !bytes.Equal(s.export(t, p.Instance), file) {
		t.Error("the rehearsal has changed the export of the instance")
	}
	if left := s.instances(t); !slices.Equal(left, instances) {
		t.Errorf("the rehearsal has left the instances %q, want %q", left, instances)
	}
	return verdict
}

// TestAnUpgradeAtAnAwaitIsExplored rehearses an example whose callbacks move in the table of functions: one of them
// ends in another one's code.
func TestAnUpgradeAtAnAwaitIsExplored(t *testing.T) {
	s := started(t)
	const folder = "../../examples/asyncbugs/"
	for old, want := range map[string]rehearse.Result{"buggy": rehearse.Failed, "fixed": rehearse.Passed} {
		p := s.plan(t, "at-await-"+old)
		ledger := s.created(t, p.Instance)
		s.install(t, p.Instance, ledger, read(t, folder+"shared/ledger.wasm.gz"), "(10_000)")
		s.install(t, p.Instance, p.Canister, read(t, folder+"14-upgrade-open-callback/"+old+".wasm.gz"), `(principal "`+ledger+`")`)
		p.Module, p.Names = read(t, folder+"14-upgrade-open-callback/next.wasm.gz"), map[string]string{"ledger": ledger, "app": p.Canister}
		p.Argument = call(p, `upgrade (principal "`+ledger+`")`).GetArgument()
		p.Invariants = []string{"ledger paid <= 100"}
		for range 2 {
			p.Operations = append(p.Operations, &controlv1.ExploreOperation{Title: "app withdraw (60)", Call: call(p, "withdraw (60)")})
		}
		verdict := run(t, p)
		if verdict.Result != want {
			t.Errorf("%s: %s, want %s\n%s", old, verdict.Result, want, text(verdict))
		}
		if found := findings(verdict, "upgrade at every await"); want == rehearse.Failed && !strings.Contains(found, "ledger paid <= 100") {
			t.Errorf("%s: the findings are %q", old, found)
		}
	}
}

// server is a daemon with the connection to it.
type server struct {
	*remote.Daemon
	process *daemon.Daemon
}

func started(t *testing.T) server {
	t.Helper()
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), Seed: []byte{7}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	connection, err := remote.Dial(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return server{connection, d}
}

// plan makes an instance with an empty canister, and a plan for it.
func (s server) plan(t *testing.T, name string) *rehearse.Plan {
	t.Helper()
	if _, err := s.Instances.CreateInstance(t.Context(), &controlv1.CreateInstanceRequest{
		Instance: name, Seed: []byte{7}, Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL},
		StartTime: timestamppb.New(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)),
	}); err != nil {
		t.Fatal(err)
	}
	return &rehearse.Plan{Daemon: s.Daemon, Instance: name, Canister: s.created(t, name)}
}

// created makes an empty canister.
func (s server) created(t *testing.T, instance string) string {
	t.Helper()
	got, err := s.Canisters.CreateCanister(t.Context(), &controlv1.CreateCanisterRequest{Instance: instance})
	if err != nil {
		t.Fatal(err)
	}
	return got.GetCanisterId()
}

// install installs a module with an argument in Candid text, "" for none.
func (s server) install(t *testing.T, instance, canister string, module []byte, argument string) {
	t.Helper()
	head := &controlv1.InstallHead{Instance: instance, CanisterId: canister}
	if argument != "" {
		head.Argument = &controlv1.Value{Form: &controlv1.Value_Text{Text: argument}}
	}
	if _, err := s.Install(t.Context(), head, bytes.NewReader(module), nil); err != nil {
		t.Fatal(err)
	}
}

// prepared makes an instance with an old module of a kind, and the plan of a rehearsal there.
func (s server) prepared(t *testing.T, k kind, old string) *rehearse.Plan {
	t.Helper()
	ctx, name := t.Context(), old+"-"+k.folder
	p := s.plan(t, name)
	s.install(t, name, p.Canister, module(t, k.folder, old), "")
	for _, line := range k.calls {
		got, err := s.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: name, Call: call(p, line)})
		if err != nil || got.GetOutcome().GetReject() != nil {
			t.Fatalf("%s: %v, %v", line, got, err)
		}
	}
	if k.open != "" {
		s.open(t, p, k.open)
	}
	for _, line := range k.queries {
		p.Queries = append(p.Queries, rehearse.Query{Title: line, Call: call(p, line)})
	}
	for _, line := range k.ops {
		p.Operations = append(p.Operations, &controlv1.ExploreOperation{Title: line, Call: call(p, line)})
	}
	return p
}

// open leaves an update open, whose canister waits for the answer of confirm.
func (s server) open(t *testing.T, p *rehearse.Plan, method string) {
	t.Helper()
	rule := &controlv1.Rule{Match: &controlv1.Match{Method: "confirm"}, Action: &controlv1.Rule_Hold{Hold: true}}
	if _, err := s.Messages.AddRule(t.Context(), &controlv1.AddRuleRequest{Instance: p.Instance, Rule: rule}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Calls.Submit(t.Context(), &controlv1.SubmitRequest{Instance: p.Instance, Call: call(p, method)}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Clock.RunRounds(t.Context(), &controlv1.RunRoundsRequest{Instance: p.Instance, Rounds: 3}); err != nil {
		t.Fatal(err)
	}
}

// call makes a call of a method, with Candid text after a space.
func call(p *rehearse.Plan, line string) *controlv1.Call {
	method, text, _ := strings.Cut(line, " ")
	made := &controlv1.Call{CanisterId: p.Canister, Method: method}
	if text != "" {
		made.Argument = &controlv1.Value{Form: &controlv1.Value_Text{Text: text}}
	}
	return made
}

// module returns a module of the corpus.
func module(t *testing.T, folder, name string) []byte {
	t.Helper()
	return read(t, filepath.Join(corpus, folder, name+".wasm.gz"))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func run(t *testing.T, p *rehearse.Plan) *rehearse.Verdict {
	t.Helper()
	verdict, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

// findings returns the findings of a check, a line each.
func findings(v *rehearse.Verdict, check string) string {
	for _, c := range v.Checks {
		if c.Name == check {
			return strings.Join(c.Findings, "\n")
		}
	}
	return ""
}

func text(v *rehearse.Verdict) string {
	var all strings.Builder
	for _, c := range v.Checks {
		all.WriteString(string(c.Result) + " " + c.Name + ": " + c.Text + "\n  " + strings.Join(c.Findings, "\n  ") + "\n")
	}
	return all.String()
}

// stateHash returns the hash of the whole state of an instance.
func (s server) stateHash(t *testing.T, name string) [32]byte {
	t.Helper()
	of, err := s.process.Instances().Instance(name)
	if err != nil {
		t.Fatal(err)
	}
	type hashed struct {
		hash [32]byte
		err  error
	}
	got, err := driver.Ask(t.Context(), of.Driver(), func(n *replica.Network) (h hashed) {
		h.hash, h.err = n.StateHash()
		return h
	})
	if err := errors.Join(err, got.err); err != nil {
		t.Fatal(err)
	}
	return got.hash
}

// export returns the whole state of an instance as a file.
func (s server) export(t *testing.T, instance string) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := s.Export(t.Context(), &controlv1.ExportInstanceRequest{Instance: instance}, &file, nil); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return file.Bytes()
}

// instances returns the names of the instances of the daemon.
func (s server) instances(t *testing.T) (names []string) {
	t.Helper()
	got, err := s.Instances.ListInstances(t.Context(), &controlv1.ListInstancesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range got.GetInstances() {
		names = append(names, one.GetName())
	}
	return names
}
