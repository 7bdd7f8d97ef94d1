package control_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestWhatThereMayBeOnlySoMuchOfIsRefusedWithItsLimit(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual, Instances: 2})
	a.note("instances")
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "second", Pacing: manual})
	call(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{})
	file, err := a.export(&controlv1.ExportInstanceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	a.imported("also of a file", &controlv1.ImportOptions{}, file)
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "second"})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "again", Pacing: manual})
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "again"})

	a.note("snapshots: another may take the place of one")
	for n := range instance.MaxSnapshots {
		must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: fmt.Sprintf("s%d", n)})
	}
	call(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "more"})
	call(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{})
	must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "s1", Replace: true})

	a.note("rules")
	for range replica.MaxRules {
		must(a, a.messages.AddRule, holds(&controlv1.Match{Callee: "aaaaa-aa"}))
	}
	call(a, a.messages.AddRule, holds(&controlv1.Match{Callee: "aaaaa-aa"}))

	a.note("subnets, and admins of one")
	subnets := make([]*controlv1.SubnetSpec, replica.MaxSubnets+1)
	for n := range subnets {
		subnets[n] = &controlv1.SubnetSpec{Nodes: 1}
	}
	a.refused("65 subnets", second(a.instances.CreateInstance(a.ctx, &controlv1.CreateInstanceRequest{Instance: "wide", Subnets: subnets})))
	subnets = subnets[:1]
	subnets[0].Fees, subnets[0].Admins = controlv1.FeeSchedule_FEE_SCHEDULE_FREE, slicesOf("2vxsx-fae", replica.MaxSubnetAdmins+1)
	call(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Subnets: subnets})

	a.note("bytes of names")
	long := strings.Repeat("n", 65)
	call(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: long})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: long})
	a.imported("of a file", &controlv1.ImportOptions{Instance: long}, nil)
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: long[:64], Pacing: manual})
	rule := holds(&controlv1.Match{Method: strings.Repeat("m", replica.MaxRuleTextBytes+1)})
	rule.Instance = long[:64]
	a.refused("of a method in a rule", second(a.messages.AddRule(a.ctx, rule)))

	a.note("rounds")
	call(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 100_001})
	a.compare("limits")
}

// slicesOf is a list of equal texts.
func slicesOf(text string, times int) (all []string) {
	for range times {
		all = append(all, text)
	}
	return all
}

// refused writes down why something is refused whose request is too long to be shown.
func (a *api) refused(what string, err error) {
	a.Helper()
	a.note("%s", what)
	if err == nil {
		a.Errorf("%s is not refused", what)
		return
	}
	a.failed(err)
}

// A refusal goes into the trailers of an answer, where clients take some KiB.
func TestWhatIsRefusedIsNotShownAtFullLength(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	modest := connected(t, a.daemon, grpc.WithMaxHeaderListSize(8<<10))
	for _, long := range []string{strings.Repeat("x", 1<<17), strings.Repeat("ü", 1<<17), strings.Repeat("\x00", 1<<17)} {
		for _, err := range []error{
			second(modest.instances.GetInstance(a.ctx, &controlv1.GetInstanceRequest{Instance: long})),
			second(modest.instances.TakeSnapshot(a.ctx, &controlv1.TakeSnapshotRequest{Snapshot: long})),
			second(modest.instances.CreateInstance(a.ctx, &controlv1.CreateInstanceRequest{StateDir: "/" + long})),
			second(modest.instances.CreateInstance(a.ctx, &controlv1.CreateInstanceRequest{HttpListen: long})),
			second(modest.instances.CreateInstance(a.ctx, &controlv1.CreateInstanceRequest{Lease: long})),
			second(modest.canisters.GetCanister(a.ctx, &controlv1.GetCanisterRequest{CanisterId: long})),
			second(modest.canisters.AddCycles(a.ctx, &controlv1.AddCyclesRequest{CanisterId: "aaaaa-aa", Cycles: long})),
			second(modest.calls.Update(a.ctx, update(&controlv1.Call{CanisterId: "aaaaa-aa", Method: "canister_status", Argument: textOf(long)}))),
			second(modest.calls.Update(a.ctx, update(&controlv1.Call{CanisterId: "aaaaa-aa", Method: long, Argument: jsonOf(long)}))),
			second(modest.messages.ListHeld(a.ctx, &controlv1.ListHeldRequest{Page: &controlv1.Page{Token: long}})),
		} {
			if reason, _ := remote.Reason(err); reason == "" || len(err.Error()) > 2000 {
				t.Errorf("%.20q…: %.200v", long, err)
			}
		}
	}
}

func TestACallWithAnUnreadableInterfaceIsRefused(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	id := a.installed([]byte("\x00asm\x01\x00\x00\x00\x00\x1f\x19icp:public candid:servicewhat?"), nil)
	a.mask(id, "ODD")
	call(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: id, Method: "x", Argument: jsonOf("[]")}})
	a.compare("calls_unreadable")
}

func TestTheBalanceAndTheVersionOfACanisterAreNotSetInTheMiddleOfItsCode(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	busy := cast(a, "BUSY")[0]
	a.runs(busy, canistertest.Script().Busy(30_000_000).ReplyText("over"))
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{})
	call(a, a.canisters.SetCycles, &controlv1.SetCyclesRequest{CanisterId: busy.String(), Cycles: "1"})
	call(a, a.canisters.SetVersion, &controlv1.SetVersionRequest{CanisterId: busy.String(), CanisterVersion: 1})
	a.idle()
	must(a, a.canisters.SetVersion, &controlv1.SetVersionRequest{CanisterId: busy.String(), CanisterVersion: 1})
	must(a, a.canisters.SetCycles, &controlv1.SetCyclesRequest{CanisterId: busy.String(), Cycles: "1"})
	a.compare("canisters_busy")
}

func TestATokenIsAskedFor(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Control: daemon.Control{Token: "secret"}})
	call(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{})
	wrong := connected(t, a.daemon, grpc.WithPerRPCCredentials(bearer("guess")))
	a.refused("a guess", second(wrong.instances.GetInstance(a.ctx, &controlv1.GetInstanceRequest{})))
	right := connected(t, a.daemon, grpc.WithPerRPCCredentials(bearer("secret")))
	must(right, right.instances.GetInstance, &controlv1.GetInstanceRequest{})
	a.compare("token")
}

// bearer is a token that goes with every RPC.
type bearer string

// GetRequestMetadata is the token as the daemon asks for it.
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity is false: this machine speaks with itself.
func (bearer) RequireTransportSecurity() bool { return false }
