package canisterd_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// taken is what take returns: nothing, or why the bank does not have the amount.
type taken struct {
	Ok  *candid.Null `ic:"ok,variant"`
	Err *string      `ic:"err,variant"`
}

// deployTill deploys the component that package canister/internal/components has for its tests.
func deployTill(t testing.TB, ic *canisterd.IC) *canisterd.Canister {
	t.Helper()
	return ic.DeployModule(tillComponent(t), canisterd.Features("components"))
}

func tillComponent(t testing.TB) []byte {
	t.Helper()
	binary, err := os.ReadFile("canister/internal/components/testdata/till.wasm")
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

func TestAComponentIsRefusedWithoutTheFeature(t *testing.T) {
	ic := canisterd.New(t)
	_, err := ic.Network.DeployModule(t.Context(), tillComponent(t))
	if err == nil || !strings.Contains(err.Error(), "unknown binary version and encoding combination (at offset 0x4)") {
		t.Errorf("got %v", err)
	}
}

func TestAComponentThatCannotBeACanisterIsRefusedWithTheReason(t *testing.T) {
	ic := canisterd.New(t)
	binary, err := os.ReadFile("component/testdata/valid/desk.wasm")
	if err != nil {
		t.Fatal(err)
	}
	_, err = ic.Network.DeployModule(t.Context(), binary, canisterd.Features("components"))
	if err == nil || !strings.Contains(err.Error(), "The component cannot be a canister: a function has a type with a stream") {
		t.Errorf("got %v", err)
	}
}

func TestTasksOfAComponentWaitForCallsOfCanisters(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	till, bank := deployTill(t, ic), deployTill(t, ic)
	err := till.Call(ctx, "open", bank.ID(), true)
	result, taking := canisterd.Call[taken](ctx, till, "take", uint64(5))
	if err := errors.Join(err, taking); err != nil || result.Err != nil {
		t.Fatal(err, result)
	}
	if n, err := canisterd.Call[uint32](ctx, till, "take_each", []uint64{1, 2, 3}); err != nil || n != 3 {
		t.Errorf("%d deposits at the same time: %v", n, err)
	}
	// Two tasks that wait at the same time have records of their own, also if others have ended before.
	var both []*canisterd.Pending
	for _, amounts := range [][]uint64{{10, 20}, {30}} {
		pending, err := till.Submit(ctx, "take_each", amounts, canisterd.Into(new(uint32)))
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, pending)
	}
	if err := errors.Join(both[0].Await(ctx), both[1].Await(ctx)); err != nil {
		t.Error(err)
	}
	if balance, err := canisterd.Query[uint64](ctx, bank, "balance"); err != nil || balance != 71 {
		t.Errorf("the bank has %d (%v), want 71", balance, err)
	}
	if err := till.Call(ctx, "open", principal.Canister(1<<40), true); err != nil {
		t.Fatal(err)
	}
	if result, err = canisterd.Call[taken](ctx, till, "take", uint64(5)); err != nil || result.Err == nil || !strings.HasPrefix(*result.Err, "3: ") {
		t.Errorf("a deposit at a bank that is not there: %v, %v", result, err)
	}
}

func TestATaskThatTrapsAfterACallLosesWhatItDidSinceThen(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	till, bank := deployTill(t, ic), deployTill(t, ic)
	if err := till.Call(ctx, "open", bank.ID(), true); err != nil {
		t.Fatal(err)
	}
	if err := till.Call(ctx, "drop_money", uint64(7)); err == nil || !strings.Contains(err.Error(), "IC0502") {
		t.Errorf("the call that traps: %v", err)
	}
	if left, err := canisterd.Query[uint64](ctx, till, "left"); err != nil || left != 0 {
		t.Errorf("left are %d, %v", left, err)
	}
	if result, err := canisterd.Call[taken](ctx, till, "take", uint64(5)); err != nil || result.Ok == nil {
		t.Errorf("the next call: %v, %v", result, err)
	}
	if balance, err := canisterd.Query[uint64](ctx, bank, "balance"); err != nil || balance != 12 {
		t.Errorf("the bank has %d (%v), want 12", balance, err)
	}
}

func TestAComponentUsesWhatTheNetworkOffers(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	c := deployTill(t, ic)
	who, err := canisterd.Call[struct {
		Caller principal.Principal `ic:"0"`
		Self   principal.Principal `ic:"1"`
	}](ctx, c, "who")
	if err != nil || who.Caller != c.Caller() || who.Self != c.ID() {
		t.Errorf("who: %v, %v", who, err)
	}
	if err := c.Call(ctx, "refuse", "closed today"); err == nil || !strings.Contains(err.Error(), "closed today") {
		t.Errorf("a reject: %v", err)
	}
	if n, err := canisterd.Call[uint32](ctx, c, "answer", []byte("DIDL\x00\x01\x79\x2a\x00\x00\x00")); err != nil || n != 42 {
		t.Errorf("a reply as bytes: %d, %v", n, err)
	}
	before, err := canisterd.Call[*uint64](ctx, c, "remember", "grüß dich")
	if err != nil || before == nil || *before != 1 {
		t.Errorf("stable memory grows: %v, %v", before, err)
	}
	if text, err := canisterd.Call[string](ctx, c, "recall", uint32(11)); err != nil || text != "grüß dich" {
		t.Errorf("stable memory: %q, %v", text, err)
	}
	if err := errors.Join(c.Call(ctx, "certify", []byte("certified")), c.Call(ctx, "say", "hello")); err != nil {
		t.Error(err)
	}
	if certificate, err := canisterd.Query[*[]byte](ctx, c, "certificate"); err != nil || certificate == nil || len(*certificate) < 100 {
		t.Errorf("the certificate is %v, %v", certificate, err)
	}
	if logs, err := c.Logs(ctx); err != nil || !slices.ContainsFunc(logs, func(line string) bool { return strings.Contains(line, "hello") }) {
		t.Errorf("the log is %q, %v", logs, err)
	}
}

func TestTheTimerAndTheUpgradeOfAComponentAreCalls(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	c := ic.DeployModule(tillComponent(t), canisterd.Features("components"), canisterd.Init(canisterd.Bytes("abc")))
	started := func(want string) {
		t.Helper()
		if text, err := canisterd.Call[string](ctx, c, "started"); err != nil || text != want {
			t.Errorf("got %q (%v), want %q", text, err, want)
		}
	}
	started("installed with 3 bytes")
	const hour = 3_600_000_000_000
	if set, err := canisterd.Call[uint64](ctx, c, "alarm", uint64(hour)); err != nil || set != 0 {
		t.Errorf("setting the timer: %d, %v", set, err)
	}
	ic.Advance(2 * hour)
	if n, err := canisterd.Call[uint32](ctx, c, "alarms"); err != nil || n != 1 {
		t.Errorf("the timer fired %d times, %v", n, err)
	}
}
