package control_test

import (
	"testing"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestStatesAreCompared(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	a.mask(id, "COUNTER")
	must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "before"})
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "fork"})
	before, present := &controlv1.State{Snapshot: "before"}, &controlv1.State{}
	a.note("nothing has happened yet")
	call(a, a.instances.Diff, &controlv1.DiffRequest{Before: before, After: present})
	a.note("a call has changed this")
	a.expect("counted", a.counting("", id), "(1 : nat)")
	call(a, a.instances.Diff, &controlv1.DiffRequest{Before: before, After: present})
	a.note("from the other side, as much as is asked for")
	call(a, a.instances.Diff, &controlv1.DiffRequest{Before: present, After: &controlv1.State{Instance: "fork"}, Limit: 2})
	a.note("of a network with other subnets and without the canister")
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "other", Seed: []byte{0}, Pacing: manual, Subnets: []*controlv1.SubnetSpec{{Nodes: 1}}})
	call(a, a.instances.Diff, &controlv1.DiffRequest{Before: before, After: &controlv1.State{Instance: "other"}})
	a.note("what is not there is not compared")
	call(a, a.instances.Diff, &controlv1.DiffRequest{})
	call(a, a.instances.Diff, &controlv1.DiffRequest{Before: before})
	call(a, a.instances.Diff, &controlv1.DiffRequest{Before: before, After: &controlv1.State{Instance: "none"}})
	call(a, a.instances.Diff, &controlv1.DiffRequest{Before: &controlv1.State{Snapshot: "none"}, After: present})
	call(a, a.instances.Diff, &controlv1.DiffRequest{Before: before, After: present, Limit: 1001})
	a.compare("instances_diff")
}
