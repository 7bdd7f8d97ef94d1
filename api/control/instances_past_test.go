package control_test

import (
	"testing"

	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestAnInstanceIsForkedAtAPastRound(t *testing.T) {
	a := served(t, daemon.Config{Pacing: daemon.Manual, StateDir: t.TempDir()})
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	a.expect("at first", a.counting("", id), "(1 : nat)")
	then := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}).GetInstance()
	a.expect("then", a.counting("", id), "(2 : nat)")
	a.note("a fork after a round, and one at the time of that round")
	for name, request := range map[string]*controlv1.ForkInstanceRequest{
		"at-round": {At: &controlv1.ForkInstanceRequest_Height{Height: then.GetHeight()}},
		"at-time":  {At: &controlv1.ForkInstanceRequest_Time{Time: then.GetTime()}},
	} {
		request.Name = name
		made := must(a, a.instances.ForkInstance, request).GetInstance()
		if made.GetHeight() != then.GetHeight() || !made.GetTime().AsTime().Equal(then.GetTime().AsTime()) {
			t.Errorf("the fork %s has round %d, want %d", name, made.GetHeight(), then.GetHeight())
		}
		a.expect("in the fork", a.counting(name, id), "(2 : nat)")
	}
	a.note("the journal ends at the present")
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "lab", Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "lab", At: &controlv1.ForkInstanceRequest_Height{Height: 1000}})
	a.compare("instances_past")
}
