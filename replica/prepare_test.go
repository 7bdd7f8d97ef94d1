package replica_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// manualCompiler is a stage on which modules are compiled when the test says so: A controls T, B does not.
type manualCompiler struct {
	*real.Stage
	engine *canister.Engine
	asked  []replica.Compilation
}

func newManualCompiler(t *testing.T, config replica.Config) *manualCompiler {
	t.Helper()
	w := &manualCompiler{engine: canistertest.NewEngine(t)}
	config.Engine, config.Compiler = w.engine, w
	w.Stage = real.NewStage(t, config.Override(state.Overrides{Limits: func(l *canister.Limits) { l.InstallRate = 0 }}))
	for _, name := range []string{"A", "B", "T"} {
		w.Create(name, 0, real.Plenty)
	}
	for _, name := range []string{"A", "B"} {
		if a := w.Install(name, real.Install, canistertest.Scriptable(), nil); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	settings := fmt.Sprintf(`settings = record { controllers = opt vec { principal "%s"; principal "%s" } }`, w.User, w.ID("A"))
	if a := w.Manage("T", "update_settings", w.About("T", settings)); a.Status != "replied" {
		t.Fatal(a)
	}
	return w
}

func (w *manualCompiler) Compile(job replica.Compilation) { w.asked = append(w.asked, job) }

// finish says that the modules that were asked for are ready.
func (w *manualCompiler) finish() {
	jobs := w.asked
	w.asked = nil
	for i := range jobs {
		w.Apply(jobs[i].Prepare(context.Background(), w.engine))
	}
	w.runUntilIdle()
}

// runUntilIdle makes rounds until there is nothing to do.
func (w *manualCompiler) runUntilIdle() {
	for w.Round(); w.Activity().HasDueWork; w.Round() {
	}
}

// installs is a call of A that installs a module into T, and then does something; where
// it is rejected, A says why.
func (w *manualCompiler) installs(mode real.Mode, module []byte, then *canistertest.Program) canistertest.Call {
	return canistertest.Call{
		Callee: principal.Management, Method: "install_code", Arg: w.InstallArgs("T", mode, module, nil), Cycles: 7,
		OnReply:  then,
		OnReject: canistertest.Script().RejectMessage().ReplyTop(),
	}
}

func answered() *canistertest.Program { return canistertest.Script().ReplyText("installed") }

// begin hands a program to A and makes rounds.
func (w *manualCompiler) begin(t *testing.T, p *canistertest.Program) replica.RequestID {
	t.Helper()
	id, refused := w.Submit("A", "run", p.Bytes())
	if refused != "" {
		t.Fatal(refused)
	}
	w.runUntilIdle()
	return id
}

// some is a module like no other.
func some(name string) []byte {
	return wat.MustAssemble(`(module (func (export "canister_query ` + name + `")))`)
}

func (w *manualCompiler) hash(name string) [32]byte {
	if m := w.Canister(w.ID(name)).Module(); m != nil {
		return m.Hash()
	}
	return [32]byte{}
}

func TestOthersGoOnWhileAModuleIsCompiled(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	module := some("one")
	id := w.begin(t, canistertest.Script().Call(w.installs(real.Install, module, answered())).Drop())
	if len(w.asked) != 1 || w.Answer(id).Over() || w.Activity().HasDueWork || w.Activity().HasRunnableWork {
		t.Fatalf("%d modules are asked for, the installation is %s", len(w.asked), w.Answer(id))
	}
	if n := w.Census().Waiting; n != 1 {
		t.Errorf("%d messages wait, want 1", n)
	}
	if count := w.Introspect().AuditCycles(); !balanced(&count) {
		t.Errorf("the books do not balance: %+v", count)
	}
	if a := w.Call("B", "run", canistertest.Script().ReplyText("here").Bytes()); string(a.Reply) != "here" {
		t.Errorf("B says %s", a)
	}
	w.finish()
	if a := w.Answer(id); string(a.Reply) != "installed" || w.hash("T") != sha256.Sum256(module) {
		t.Errorf("A says %s", a)
	}
	w.begin(t, canistertest.Script().Call(w.installs(real.Reinstall, module, answered())).Drop())
	if len(w.asked) != 0 {
		t.Error("a module that is known is asked for again")
	}
}

func TestInstallationsOfOneCanisterKeepTheirOrderWhileModulesAreCompiled(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	nothing := canistertest.Script()
	id := w.begin(t, canistertest.Script().
		Call(w.installs(real.Install, some("one"), nothing)).Drop().
		Call(w.installs(real.Upgrade, canistertest.Scriptable(), nothing)).Drop(). // known: A runs it
		Call(w.installs(real.Upgrade, some("three"), answered())).Drop())
	user, refused := w.SubmitManagement("T", "install_code", w.InstallArgs("T", real.Upgrade, some("user's"), nil))
	if refused != "" {
		t.Fatal(refused)
	}
	w.runUntilIdle()
	if len(w.asked) != 1 || w.hash("T") != [32]byte{} {
		t.Fatalf("%d modules are asked for, want 1: an installation did not wait for the one before it", len(w.asked))
	}
	w.finish()
	if len(w.asked) != 1 || w.hash("T") != sha256.Sum256(canistertest.Scriptable()) || w.Answer(user).Over() {
		t.Fatalf("%d modules are asked for, want 1; the user hears %s", len(w.asked), w.Answer(user))
	}
	w.finish()
	if a := w.Answer(id); string(a.Reply) != "installed" {
		t.Errorf("A says %s", a)
	}
	if a := w.Answer(user); a.Status != "replied" || w.hash("T") != sha256.Sum256(some("user's")) {
		t.Errorf("the user hears %s", a)
	}
}

func TestAModuleThatIsFoundInvalidIsRejectedAsWhereItIsInstalledAtOnce(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	broken := append(some("one"), 99)
	call := func() *canistertest.Program {
		return canistertest.Script().Call(w.installs(real.Install, broken, answered())).Drop()
	}
	id := w.begin(t, call())
	before := w.Canister(w.ID("T")).Balance
	w.finish()
	paid := before.Sub(w.Canister(w.ID("T")).Balance)
	got := string(w.Answer(id).Reply)

	direct := w.Install("T", real.Install, broken, nil)
	if got != direct.Text || !strings.Contains(got, "Canister's Wasm module is not valid") {
		t.Errorf("got  %q\nwant %q", got, direct.Text)
	}
	if paid.IsZero() {
		t.Error("the inspection of the module was not paid for")
	}
	again := w.begin(t, call())
	if a := w.Answer(again); len(w.asked) != 0 || string(a.Reply) != got {
		t.Errorf("the second time the module is asked for %d times, A says %s", len(w.asked), a)
	}
}

func TestAUsersInstallationThatExpiresWhileItsModuleIsCompiledIsNotMade(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	module := some("one")
	hash := sha256.Sum256(module)
	if a := w.Manage("T", "upload_chunk", w.About("T", "chunk = "+blob(module))); a.Status != "replied" {
		t.Fatal(a)
	}
	id, refused := w.SubmitManagement("T", "install_chunked_code", w.Args(fmt.Sprintf(
		`(record { target_canister = principal "%s"; mode = variant { install }; chunk_hashes_list = vec { record { hash = %s } }; wasm_module_hash = %s; arg = blob "" })`,
		w.ID("T"), blob(hash[:]), blob(hash[:]),
	)))
	w.runUntilIdle()
	if refused != "" || len(w.asked) != 1 {
		t.Fatalf("%s; %d modules are asked for", refused, len(w.asked))
	}
	w.Apply(replica.AdvanceTo(w.View().Time + replica.MaxIngressTTL + second))
	w.runUntilIdle()
	if a := w.Answer(id); a.Status != "rejected" {
		t.Errorf("the user hears %s", a)
	}
	w.finish()
	if w.hash("T") != [32]byte{} || w.Census().Waiting != 0 {
		t.Error("an installation was made that had expired")
	}
}

func TestBestEffortInstallationsThatAreTooLateAreDroppedWhenTheirModuleIsReady(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	call := w.installs(real.Install, some("one"), answered())
	one := uint64(1)
	call.Timeout = &one
	id := w.begin(t, canistertest.Script().Call(call).Drop())
	w.Apply(replica.AdvanceTo(w.View().Time + 3*second))
	w.runUntilIdle()
	if a := w.Answer(id); !strings.Contains(string(a.Reply), "Call deadline has expired.") {
		t.Errorf("A says %s", a)
	}
	w.finish()
	if w.hash("T") != [32]byte{} {
		t.Error("an installation was made without a caller")
	}
	if count := w.Introspect().AuditCycles(); !balanced(&count) || !count.Attached.IsZero() {
		t.Errorf("the books do not balance: %+v", count)
	}
}

func TestLoadingASnapshotWaitsForItsModule(t *testing.T) {
	w := newManualCompiler(t, replica.Config{})
	if a := w.Manage("B", "take_canister_snapshot", w.About("B", "")); a.Status != "replied" {
		t.Fatal(a)
	}
	for range replica.CheckpointRounds {
		w.Round() // from then on what was compiled is not taken for known
	}
	id, refused := w.SubmitManagement("B", "load_canister_snapshot", w.About("B", "snapshot_id = "+blob(snapshotID(w.ID("B"), 0))))
	w.runUntilIdle()
	if refused != "" || len(w.asked) != 1 || w.Answer(id).Over() {
		t.Fatalf("%s; %d modules are asked for, the user hears %s", refused, len(w.asked), w.Answer(id))
	}
	w.finish()
	if a := w.Answer(id); a.Status != "replied" {
		t.Errorf("the user hears %s", a)
	}
}

func TestAnExpiredInstallationOfACanisterThatIsGoneIsForgotten(t *testing.T) {
	w := newManualCompiler(t, replica.Config{SliceInstructions: 1_000_000})
	long := canistertest.Script().Busy(50_000_000).Bytes()
	busy, _ := w.SubmitManagement("B", "install_code", w.InstallArgs("B", real.Reinstall, canistertest.Scriptable(), long))
	w.Round()
	waits, _ := w.SubmitManagement("T", "install_code", w.InstallArgs("T", real.Install, canistertest.Scriptable(), nil))
	w.Round()
	for _, method := range []string{"stop_canister", "delete_canister"} {
		if _, refused := w.SubmitManagement("T", method, w.About("T", "")); refused != "" {
			t.Fatal(refused)
		}
		w.Round()
	}
	if w.Canister(w.ID("T")) != nil || w.Answer(busy).Over() {
		t.Fatal("T was to be deleted while B is installed")
	}
	w.Apply(replica.AdvanceTo(w.View().Time + replica.MaxIngressTTL + second))
	w.Round()
	if w.Answer(busy).Over() {
		t.Fatal("B was to be installed still when the other message expires")
	}
	w.runUntilIdle()
	if a, b := w.Answer(busy), w.Answer(waits); a.Status != "replied" || b.Status != "rejected" {
		t.Errorf("the users hear %s and %s", a, b)
	}
}

func blob(b []byte) string {
	var s strings.Builder
	for _, x := range b {
		fmt.Fprintf(&s, "\\%02x", x)
	}
	return `blob "` + s.String() + `"`
}

// snapshotID is a snapshot's id: its number before the canister's id.
func snapshotID(of principal.Principal, number byte) []byte {
	return append([]byte{0, 0, 0, 0, 0, 0, 0, number}, of.Bytes()...)
}
