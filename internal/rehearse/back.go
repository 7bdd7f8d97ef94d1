package rehearse

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// secondUpgrade upgrades the new module to itself: it has to read what it wrote.
func (r *rehearsal) secondUpgrade(ctx context.Context) error {
	const name = "second upgrade"
	return r.again(ctx, name, "the new module reads the state that it wrote", r.Module, r.after, Failed, "")
}

// wayBack installs the old module on the state of the new one.
func (r *rehearsal) wayBack(ctx context.Context) error {
	const name = "way back"
	old, err := r.oldModule(ctx)
	if err != nil {
		// The canister may lack the cycles or the memory for a snapshot.
		r.verdict.add(name, "the old module on the new state", Noted, "not tried: "+remote.Text(err))
		return nil
	}
	return r.again(ctx, name, "the old module works on the new state", old, r.control, Noted, "there is no way back: ")
}

// again upgrades the upgraded fork to a module, and compares its queries with those of another fork.
func (r *rehearsal) again(ctx context.Context, name, text string, module []byte, as *fork, result Result, before string) error {
	f, err := r.another(ctx, r.after.name)
	if err != nil {
		return err
	}
	_, why, err := f.install(ctx, module)
	if err != nil {
		return err
	}
	if why != "" {
		r.verdict.add(name, text, result, before+why)
		return nil
	}
	all, _, err := r.steady(ctx)
	if err != nil {
		return err
	}
	want, err := r.askAll(ctx, as, all)
	if err != nil {
		return err
	}
	got, err := r.askAll(ctx, f, all)
	if err != nil {
		return err
	}
	var findings []string
	for _, one := range r.differ(all, want, got) {
		findings = append(findings, before+one)
	}
	r.verdict.add(name, text, result, findings...)
	return nil
}

// oldModule reads the module of the canister from a snapshot that a fork takes.
func (r *rehearsal) oldModule(ctx context.Context) ([]byte, error) {
	f, err := r.another(ctx, r.base)
	if err != nil {
		return nil, err
	}
	id, err := principal.Parse(r.Canister)
	if err != nil {
		return nil, err
	}
	var taken management.Snapshot
	if err := f.manage(ctx, id, "take_canister_snapshot", management.TakeSnapshot{Canister: id}, &taken); err != nil {
		return nil, err
	}
	var about management.SnapshotMetadata
	if err := f.manage(ctx, id, "read_canister_snapshot_metadata", management.SnapshotOf{Canister: id, Snapshot: taken.ID}, &about); err != nil {
		return nil, err
	}
	var module []byte
	for uint64(len(module)) < about.ModuleSize {
		part := &management.Range{Offset: uint64(len(module)), Size: min(ModuleChunk, about.ModuleSize-uint64(len(module)))}
		var got management.SnapshotData
		if err := f.manage(ctx, id, "read_canister_snapshot_data", management.ReadSnapshotData{Canister: id, Snapshot: taken.ID, Kind: management.SnapshotRange{Module: part}}, &got); err != nil {
			return nil, err
		}
		module = append(module, got.Chunk...)
	}
	return module, nil
}

// manage calls a method of the management canister about a canister.
func (f *fork) manage(ctx context.Context, about principal.Principal, method string, argument, reply any) error {
	raw, err := candid.Marshal(argument)
	if err != nil {
		return err
	}
	got, err := f.Daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: f.name, Call: &controlv1.Call{
		CanisterId: principal.Management.String(), Method: method, Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: raw}},
		Sender: f.Sender, EffectiveCanisterId: about.String(), ReplyForm: controlv1.Form_FORM_BYTES,
	}})
	if err != nil {
		return err
	}
	value, err := remote.Reply(got.GetOutcome())
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return candid.Unmarshal(value.GetBytes(), reply)
}
