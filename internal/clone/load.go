package clone

import (
	"context"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/snapshotdir"
)

// Host is a network into which canisters are cloned.
type Host interface {
	// NetworkID tells the network from all others.
	NetworkID(ctx context.Context) (string, error)
	// Existing returns the canister with an id, nil if there is none.
	Existing(ctx context.Context, id principal.Principal) (*Existing, error)
	// Metadata returns a section of the module of a canister, nil if it has none.
	Metadata(ctx context.Context, id principal.Principal, name string) ([]byte, error)
	// Create creates a canister without code, on a new subnet if no subnet has the id. cycles is its balance in decimal
	// digits; "": that of new canisters.
	Create(ctx context.Context, id, controller principal.Principal, cycles string) error
	// Install installs a module with an argument on an empty canister, or in place of the one that it has.
	Install(ctx context.Context, id principal.Principal, module, argument []byte, replace bool) error
	// SetCycles sets the balance of a canister, in decimal digits.
	SetCycles(ctx context.Context, id principal.Principal, amount string) error
	// SetVersion sets the version of a canister.
	SetVersion(ctx context.Context, id principal.Principal, version uint64) error
	// SetRunning starts or stops a canister.
	SetRunning(ctx context.Context, id principal.Principal, running bool) error
	// As returns a caller with the rights of a sender.
	As(sender principal.Principal) Caller
}

// Existing is a canister of a host.
type Existing struct {
	Subnet      string
	HasCode     bool
	Controllers []principal.Principal
}

// Destination is the network into which canisters are cloned.
type Destination struct{ Host }

// LoadOptions say how a canister is made.
type LoadOptions struct {
	// Controller is added to the controllers of the source.
	Controller principal.Principal
	// Cycles is the balance in decimal digits; "": that of the source, or 100 T if it is not known.
	Cycles string
	// Replace loads the snapshot into a canister that exists.
	Replace bool
	// Unrecorded writes nothing beside the snapshot: an upload that is interrupted cannot go on.
	Unrecorded bool
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
	resume   bool               // an upload was interrupted
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
func (x *load) as(sender principal.Principal) Canister { return Canister{x.id, x.to.As(sender)} }

// create creates the canister, unless it exists and is to be replaced or its upload was interrupted.
func (x *load) create(ctx context.Context) error {
	if !x.options.Unrecorded {
		network, err := x.to.NetworkID(ctx)
		if err != nil {
			return err
		}
		x.progress = ".upload-" + network + ".json"
		x.resume = snapshotdir.HasUpload(x.entry.Folder, x.progress)
	}
	found, err := x.to.Existing(ctx, x.id)
	if err == nil && found == nil {
		if err := x.to.Create(ctx, x.id, x.options.Controller, loadingCycles); err != nil {
			return err
		}
		found, err = x.to.Existing(ctx, x.id)
	}
	switch {
	case err != nil:
		return err
	case found == nil:
		return fmt.Errorf("canister %s was deleted while it was cloned: clone it again", x.id)
	case found.HasCode && !x.options.Replace && !x.resume:
		return &ExistsError{x.id}
	case len(found.Controllers) == 0:
		return fmt.Errorf("canister %s has no controllers and cannot be changed: delete it first (canisterd canister delete %[1]s --stop)", x.id)
	}
	x.done.Subnet = found.Subnet
	x.canister = x.as(found.Controllers[0])
	if err := x.to.SetCycles(ctx, x.id, loadingCycles); err != nil {
		return err
	}
	return x.updateSettings(ctx)
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
	x.canister = x.as(x.options.Controller)
	return nil
}

// send sends the snapshot, loads it, and deletes it.
func (x *load) send(ctx context.Context) error {
	tell := x.options.Tell
	if tell == nil {
		tell = func(int64, int64) {}
	}
	if !x.resume && !x.options.Replace {
		if err := x.deleteSnapshots(ctx); err != nil {
			return err
		}
	}
	x.done.Bytes = x.about.Bytes()
	to := &withoutHook{x.canister.Writer(nil), x.status == nil}
	id, err := snapshotdir.Upload(ctx, x.entry.Folder, to, snapshotdir.UploadOptions{
		Resume: x.resume, Progress: x.progress, Unrecorded: x.options.Unrecorded, Parallel: parallelWrites,
		Tell: func(n int64) { tell(n, x.done.Bytes) },
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
	return x.to.SetVersion(ctx, x.id, x.about.Version)
}

func (x *load) setBalance(ctx context.Context) error {
	amount := x.options.Cycles
	if amount == "" {
		amount = defaultCycles
		if x.status != nil {
			amount = x.status.Cycles.String()
		}
	}
	return x.to.SetCycles(ctx, x.id, amount)
}

func (x *load) setStatus(ctx context.Context) error {
	if x.status == nil {
		return nil
	}
	return x.to.SetRunning(ctx, x.id, x.status.Status.Running != nil)
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
