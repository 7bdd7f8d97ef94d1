package control_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// counting is what a counter of an instance says when it is counted up; 0 where it
// cannot be called.
func (a *api) counting(instance, canister string) string {
	a.Helper()
	out, err := a.calls.Update(a.ctx, &controlv1.UpdateRequest{Instance: instance, Call: &controlv1.Call{CanisterId: canister, Method: "inc", ReplyForm: controlv1.Form_FORM_TEXT}})
	if err != nil {
		a.Fatal(err)
	}
	return out.GetOutcome().GetReply().GetText()
}

func (a *api) expect(what, got, want string) {
	a.Helper()
	if got != want {
		a.Errorf("%s: %s, want %s", what, got, want)
	}
}

func TestAnInstanceIsForkedKeptAndRestored(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	a.expect("at first", a.counting("", id), "(1 : nat)")
	a.note("a fork goes on by itself")
	forked := call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "fork"}).GetInstance()
	a.hideTimes(forked)
	a.expect("in the fork", a.counting("fork", id), "(2 : nat)")
	a.expect("in the fork", a.counting("fork", id), "(3 : nat)")
	a.expect("in the source", a.counting("", id), "(2 : nat)")
	a.note("a snapshot is kept")
	a.hideSnapshots(call(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "two"}).GetSnapshot())
	a.expect("after the snapshot", a.counting("", id), "(3 : nat)")
	a.note("one of that name there is")
	call(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "two"})
	a.note("one may take its place; another gets a name of the daemon's choice")
	a.hideSnapshots(call(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{}).GetSnapshot())
	a.hideSnapshots(call(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "snapshot-1", Replace: true}).GetSnapshot())
	a.note("they are listed")
	call(a, a.instances.ListSnapshots, &controlv1.ListSnapshotsRequest{PageSize: 1})
	call(a, a.instances.ListSnapshots, &controlv1.ListSnapshotsRequest{PageToken: "snapshot-1"})
	a.note("the instance goes on from one, as often as one likes")
	for range 2 {
		a.hideTimes(call(a, a.instances.RestoreSnapshot, &controlv1.RestoreSnapshotRequest{Snapshot: "two"}).GetInstance())
		a.expect("after it was restored", a.counting("", id), "(3 : nat)")
		a.expect("after it was restored", a.counting("", id), "(4 : nat)")
	}
	a.note("and so does a fork of it")
	a.hideTimes(call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Snapshot: "two", Name: "later"}).GetInstance())
	a.note("a snapshot is forgotten")
	call(a, a.instances.DeleteSnapshot, &controlv1.DeleteSnapshotRequest{Snapshot: "two"})
	call(a, a.instances.RestoreSnapshot, &controlv1.RestoreSnapshotRequest{Snapshot: "two"})
	a.note("forks outlive what they are forks of")
	call(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{})
	a.expect("in the fork", a.counting("fork", id), "(4 : nat)")
	a.expect("in the fork of the snapshot", a.counting("later", id), "(3 : nat)")
	a.compare("instances_fork")
}

// hideSnapshots masks the wall-clock times of snapshots.
func (a *api) hideSnapshots(all ...*controlv1.Snapshot) {
	for _, s := range all {
		a.mask(written(s.GetTaken(), ""), `"TAKEN"`)
	}
}

func TestWhatIsNotThereIsNeitherForkedNorRestored(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "none"})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Snapshot: "none"})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "default"})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "9"})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Lease: "none"})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{HttpListen: "nowhere"})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Reseed: make([]byte, 33)})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Pacing: &controlv1.Pacing{Mode: 9}})
	a.note("this daemon keeps nothing, so that only the present is there")
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{At: &controlv1.ForkInstanceRequest_Height{Height: 1}})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{At: &controlv1.ForkInstanceRequest_Time{Time: &timestamppb.Timestamp{Seconds: -1}}})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{At: &controlv1.ForkInstanceRequest_BeforeRequest{BeforeRequest: []byte{7}}})
	call(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Snapshot: "one", At: &controlv1.ForkInstanceRequest_Height{Height: 1}})
	call(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Instance: "none"})
	call(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "Upper"})
	call(a, a.instances.ListSnapshots, &controlv1.ListSnapshotsRequest{Instance: "none"})
	call(a, a.instances.ListSnapshots, &controlv1.ListSnapshotsRequest{PageSize: 1001})
	call(a, a.instances.DeleteSnapshot, &controlv1.DeleteSnapshotRequest{Instance: "none"})
	call(a, a.instances.DeleteSnapshot, &controlv1.DeleteSnapshotRequest{})
	call(a, a.instances.DeleteSnapshot, &controlv1.DeleteSnapshotRequest{Snapshot: "none"})
	call(a, a.instances.RestoreSnapshot, &controlv1.RestoreSnapshotRequest{})
	if left := must(a, a.instances.ListInstances, &controlv1.ListInstancesRequest{}).GetInstances(); len(left) != 1 {
		t.Errorf("%d instances are left", len(left))
	}
	a.compare("instances_fork_refused")
}

func TestWaitersForMessagesThatARestoreLostLearnSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a := bubbled(t)
		a.still()
		id := a.installed(canistertest.Fixture("counter"), nil)
		must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "before"})
		// In mode interval only the interval runs the rounds that would answer.
		a.paced(hourly())
		sent := must(a, a.calls.Submit, &controlv1.SubmitRequest{Call: &controlv1.Call{CanisterId: id, Method: "inc"}})
		answer := make(chan error)
		go func() {
			_, err := a.calls.Await(a.ctx, &controlv1.AwaitRequest{RequestId: sent.GetRequestId()})
			answer <- err
		}()
		synctest.Wait() // the server waits for the answer
		must(a, a.instances.RestoreSnapshot, &controlv1.RestoreSnapshotRequest{Snapshot: "before"})
		err := <-answer
		if status.Code(err) != codes.Aborted {
			t.Fatalf("who waited hears %v", err)
		}
		a.mask(fmt.Sprintf("%x", sent.GetRequestId()), "ID")
		a.failed(err)
		a.compare("instances_restored")
	})
}
