package management

import (
	"bytes"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

func TestStoppingAnswersLaterAndCountsTheVersion(t *testing.T) {
	r := newRig(t)
	other := r.add(2, bob)
	r.target.Canister.Settings.Controllers = append(r.target.Canister.Settings.Controllers, other.ID())
	a := r.run(r.byCanister(other, 60, "stop_canister", idArg{r.target.ID()}))
	if a.When != state.Deferred || len(r.tickets) != 1 || r.tickets[0].Refund != cycles.Of(60) || r.tickets[0].Origin.Caller != other.ID() {
		t.Errorf("answer %+v, tickets %+v", a, r.tickets)
	}
	r.run(r.byUser(alice, "stop_canister", idArg{r.target.ID()}))
	if r.target.Canister.Version != 2 || len(r.tickets) != 2 {
		t.Errorf("version %d, %d tickets", r.target.Canister.Version, len(r.tickets))
	}
	r.target.Canister.Status = canister.Stopped
	r.replied(r.byUser(alice, "stop_canister", idArg{r.target.ID()}))
	if r.target.Canister.Version != 3 || len(r.tickets) != 2 || r.target.Canister.History.Total != 0 {
		t.Errorf("version %d, %d tickets", r.target.Canister.Version, len(r.tickets))
	}
	r.rejected(r.byUser(alice, "stop_canister", idArg{nowhere}), intercanister.CanisterNotFound, "Canister "+nowhere.String()+
		" not found.\nCheck the ICP dashboard to ensure the canister exists. See documentation: https://internetcomputer.org/docs/current/references/execution-errors#canister-not-found")
}

func TestStartingCountsTheVersionEvenWhereTheCanisterRuns(t *testing.T) {
	r := newRig(t)
	for range 2 {
		r.replied(r.byUser(alice, "start_canister", idArg{r.target.ID()}))
	}
	if r.target.Canister.Version != 2 || len(r.started) != 2 {
		t.Errorf("version %d, started %d times", r.target.Canister.Version, len(r.started))
	}
	r.rejected(r.byUser(alice, "start_canister", idArg{nowhere}), intercanister.CanisterNotFound, "Canister "+nowhere.String()+" not found.")
}

func TestOnlyAStoppedCanisterWithEmptyQueuesIsDeleted(t *testing.T) {
	r := newRig(t)
	id := r.target.ID()
	remove := func() *state.ManagementCall { return r.byUser(alice, "delete_canister", idArg{id}) }
	r.rejected(remove(), intercanister.CanisterNotStopped, "Canister "+id.String()+
		" must be stopped before it is deleted.\nStop the canister before deleting it. See documentation: "+
		"https://internetcomputer.org/docs/current/references/execution-errors#delete-canister-not-stopped")
	r.target.Canister.Status = canister.Stopping
	r.rejected(remove(), intercanister.CanisterNotStopped, "Canister "+id.String()+" must be stopped …")
	r.target.Canister.Status = canister.Stopped
	r.target.Mailbox.PushIngress(5)
	r.rejected(remove(), intercanister.CanisterQueueNotEmpty, "Canister "+id.String()+
		" has messages in its queues and cannot be deleted now. Please retry after some time.\nWait until …")
	r.target.Mailbox.DropIngress(5)
	r.replied(remove())
	if len(r.deleted) != 1 || r.st.Canisters.Get(id) != nil {
		t.Error("it is still there")
	}
	r.rejected(remove(), intercanister.CanisterNotFound, "Canister "+id.String()+" not found.\n…")
}

func TestACanisterCannotDeleteItself(t *testing.T) {
	r := newRig(t)
	r.target.Canister.Status = canister.Stopped
	r.rejected(r.byCanister(r.target, 3, "delete_canister", idArg{r.target.ID()}), intercanister.CanisterInvalidController, "Canister "+r.target.ID().String()+
		" cannot delete itself.\nDelete the canister from one of its other controllers. See documentation: "+
		"https://internetcomputer.org/docs/current/references/execution-errors#delete-canister-self")
}

func TestUninstallingIsAChangeWithAVersion(t *testing.T) {
	r := newRig(t)
	r.replied(r.byUser(alice, "uninstall_code", versionedArg{Canister: r.target.ID()}))
	k := r.target.Canister
	if k.Version != 1 || k.History.Total != 1 || len(r.emptied) != 1 || len(r.st.Touched) == 0 {
		t.Errorf("version %d, %d changes", k.Version, k.History.Total)
	}
	entry := k.History.Recent(1)[0]
	if _, ok := entry.Details.(canister.Uninstallation); !ok || entry.Version != 1 || entry.Origin.Principal != alice || entry.Time != noon {
		t.Errorf("history: %+v", entry)
	}
}

func TestWhatChangesTheCodeWaitsForTheMessageThatRuns(t *testing.T) {
	r := newRig(t)
	r.target.Running = true
	for _, method := range []string{"install_code", "install_chunked_code", "uninstall_code", "upload_chunk", "clear_chunk_store"} {
		if a := r.run(r.byUser(alice, method, argFor(method, r.target.ID()))); a.When != state.Busy || a.Target != r.target {
			t.Errorf("%s: %+v", method, a)
		}
	}
	if r.target.Canister.Version != 0 || r.installed != nil || r.target.Canister.Balance != cycles.Of(1_000_000_000_000) {
		t.Error("something was done before the canister is idle")
	}
	for _, method := range []string{"canister_status", "update_settings", "stored_chunks", "start_canister"} {
		if a := r.run(r.byUser(alice, method, argFor(method, r.target.ID()))); a.When != state.Now || a.Reject != nil {
			t.Errorf("%s: %+v", method, a)
		}
	}
}

func TestRandomBytesComeFromTheBeaconInOrder(t *testing.T) {
	r, twin := newRig(t), newRig(t)
	draw := func(r *rig) (out []byte) {
		c := r.byCanister(r.target, 8, "raw_rand")
		r.replied(c, &out)
		if c.Attached != cycles.Of(8) {
			t.Error("raw_rand is free")
		}
		return out
	}
	first, second := draw(r), draw(r)
	if len(first) != 32 || bytes.Equal(first, second) || !bytes.Equal(first, draw(twin)) || !bytes.Equal(second, draw(twin)) {
		t.Errorf("%x, %x", first, second)
	}
}
