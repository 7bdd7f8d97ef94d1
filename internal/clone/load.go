package clone

import (
	"context"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/snapshotdir"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Destination is the instance into which canisters are cloned.
type Destination struct {
	Instance
	// Caller makes the calls about a canister as a sender; nil: Instance does.
	Caller func(sender string) Caller
}

// LoadOptions say how a canister is made.
type LoadOptions struct {
	// Controller is added to the controllers of the source.
	Controller principal.Principal
	// Cycles is the balance in decimal digits; "": that of the source, or 100 T if it is not known.
	Cycles string
	// Replace loads the snapshot into a canister that exists.
	Replace bool
	// Tell gets the bytes that were sent, of so many; nil: they are not told.
	Tell func(bytes, total int64)
}

// Loaded is a canister that was cloned.
type Loaded struct {
	Canister principal.Principal
	Subnet   string
	Bytes    int64
	// Dropped are controllers of the source that the clone does not have, because there would be too many.
	Dropped []principal.Principal
}

// ExistsError is the error for a canister that exists at the destination.
type ExistsError struct{ Canister principal.Principal }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("canister %s exists already: a clone would replace its code and state", e.Canister)
}

// load is one canister on its way into an instance.
type load struct {
	to       *Destination
	entry    *Entry
	id       principal.Principal
	options  LoadOptions
	about    *management.SnapshotMetadata
	status   *management.Status // at the source; nil: it is not known
	progress string             // file with the progress of the upload
	canister Canister           // at the destination
	done     Loaded
}

// Load makes the canister of a snapshot in an instance, with the same id: it creates the canister, on a new subnet if no
// subnet has the id, sends and loads the snapshot, and gives the canister the settings, the balance and the status that it
// had. An upload that was interrupted goes on.
func (d *Destination) Load(ctx context.Context, id principal.Principal, e *Entry, options LoadOptions) (*Loaded, error) {
	x := &load{to: d, entry: e, id: id, options: options, done: Loaded{Canister: id}}
	var err error
	if x.about, err = snapshotdir.Read(e.Folder); err != nil {
		return nil, err
	}
	if x.status, err = e.Status(); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{x.create, x.send, x.finish} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &x.done, nil
}

// as returns the canister with the rights of a sender.
func (x *load) as(sender string) Canister {
	if x.to.Caller != nil {
		return Canister{x.id, x.to.Caller(sender)}
	}
	instance := x.to.Instance
	instance.Sender = sender
	return Canister{x.id, instance}
}

// create creates the canister, unless it exists and is to be replaced or its upload was interrupted.
func (x *load) create(ctx context.Context) error {
	got, err := x.to.Daemon.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: x.to.Name})
	if err != nil {
		return err
	}
	x.progress = ".upload-" + got.GetInstance().GetNetworkId() + ".json"
	found, err := x.get(ctx)
	if remote.IsNotFound(err) {
		_, err = x.to.Daemon.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{
			Instance: x.to.Name, CanisterId: x.id.String(), AddSubnet: true, Cycles: loadingCycles, Sender: x.options.Controller.String(),
		})
		if err != nil {
			return err
		}
		found, err = x.get(ctx)
	}
	if err != nil {
		return err
	}
	x.done.Subnet = found.GetSubnetId()
	controllers := found.GetSettings().GetControllers().GetPrincipals()
	switch {
	case len(found.GetModuleHash()) > 0 && !x.options.Replace && !snapshotdir.HasUpload(x.entry.Folder, x.progress):
		return &ExistsError{x.id}
	case len(controllers) == 0:
		return fmt.Errorf("canister %s has no controllers and cannot be changed: delete it first (canisterd canister delete %[1]s --stop)", x.id)
	}
	x.canister = x.as(controllers[0])
	_, err = x.to.Daemon.Canisters.SetCycles(ctx, &controlv1.SetCyclesRequest{Instance: x.to.Name, CanisterId: x.id.String(), Cycles: loadingCycles})
	if err != nil {
		return err
	}
	return x.updateSettings(ctx)
}

func (x *load) get(ctx context.Context) (*controlv1.Canister, error) {
	got, err := x.to.Daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: x.to.Name, CanisterId: x.id.String()})
	return got.GetCanister(), err
}

// updateSettings gives the canister the settings of the source, before the snapshot is loaded: its low-memory hook must be
// in the state that they imply.
func (x *load) updateSettings(ctx context.Context) error {
	var settings management.Settings
	if x.status != nil {
		settings = x.status.Settings
	}
	controllers := []principal.Principal{x.options.Controller}
	if of := settings.Controllers; of != nil {
		others := slices.DeleteFunc(slices.Clone(*of), func(p principal.Principal) bool { return p == x.options.Controller })
		most := min(len(others), maxControllers-1)
		controllers, x.done.Dropped = append(controllers, others[:most]...), others[most:]
	}
	settings.Controllers = &controllers
	if err := x.canister.call(ctx, "update_settings", management.UpdateSettings{Canister: x.id, Settings: settings}, nil); err != nil {
		return err
	}
	x.canister = x.as(x.options.Controller.String())
	return nil
}

// send sends the snapshot, loads it, and deletes it.
func (x *load) send(ctx context.Context) error {
	tell := x.options.Tell
	if tell == nil {
		tell = func(int64, int64) {}
	}
	resume := snapshotdir.HasUpload(x.entry.Folder, x.progress)
	if !resume && !x.options.Replace {
		if err := x.deleteSnapshots(ctx); err != nil {
			return err
		}
	}
	x.done.Bytes = x.about.Bytes()
	to := &withoutHook{x.canister.Writer(nil), x.status == nil}
	id, err := snapshotdir.Upload(ctx, x.entry.Folder, to, snapshotdir.UploadOptions{
		Resume: resume, Progress: x.progress, Parallel: parallelWrites, Tell: func(n int64) { tell(n, x.done.Bytes) },
	})
	if err != nil {
		return err
	}
	if err := x.canister.Load(ctx, id); err != nil {
		return err
	}
	return x.canister.Delete(ctx, id)
}

// deleteSnapshots deletes the snapshots of a canister that has no code: they are the rest of an upload whose progress is
// not known.
func (x *load) deleteSnapshots(ctx context.Context) error {
	all, err := x.canister.List(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := x.canister.Delete(ctx, s.ID); err != nil {
			return err
		}
	}
	return nil
}

// finish gives the canister its balance, its status, and the version that the snapshot has: other steps change the version.
func (x *load) finish(ctx context.Context) error {
	if err := x.setBalance(ctx); err != nil {
		return err
	}
	if err := x.setStatus(ctx); err != nil {
		return err
	}
	_, err := x.to.Daemon.Canisters.SetVersion(ctx, &controlv1.SetVersionRequest{Instance: x.to.Name, CanisterId: x.id.String(), CanisterVersion: x.about.Version})
	return err
}

func (x *load) setBalance(ctx context.Context) error {
	amount := x.options.Cycles
	if amount == "" {
		amount = defaultCycles
		if x.status != nil {
			amount = x.status.Cycles.String()
		}
	}
	_, err := x.to.Daemon.Canisters.SetCycles(ctx, &controlv1.SetCyclesRequest{Instance: x.to.Name, CanisterId: x.id.String(), Cycles: amount})
	return err
}

func (x *load) setStatus(ctx context.Context) (err error) {
	switch {
	case x.status == nil:
	case x.status.Status.Running != nil:
		_, err = x.to.Daemon.Canisters.StartCanister(ctx, &controlv1.StartCanisterRequest{Instance: x.to.Name, CanisterId: x.id.String()})
	default:
		_, err = x.to.Daemon.Canisters.StopCanister(ctx, &controlv1.StopCanisterRequest{Instance: x.to.Name, CanisterId: x.id.String()})
	}
	return err
}

// withoutHook leaves out the state of the low-memory hook, where the settings that imply it are not known.
type withoutHook struct {
	snapshotdir.Target
	without bool
}

// Begin makes the snapshot.
func (w *withoutHook) Begin(ctx context.Context, about *management.SnapshotMetadata) ([]byte, error) {
	if w.without {
		changed := *about
		changed.Hook = nil
		about = &changed
	}
	return w.Target.Begin(ctx, about)
}
