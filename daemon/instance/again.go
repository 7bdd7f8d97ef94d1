package instance

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/canisterd/canisterd/daemon/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// instancesFolder is the folder of a state directory that has those of the other instances, under their names.
const instancesFolder = "instances"

// KeptIn is the state directory of an instance in the one of a daemon.
func KeptIn(stateDir, name string) string {
	if name == "" || name == Default {
		return stateDir
	}
	return filepath.Join(stateDir, instancesFolder, name)
}

// keptIn is the state directory for an instance that is made, "" for one that ends with the process.
func (r *Registry) keptIn(to *Placement, name string) string {
	if r.config.StateDir == "" || to.Ephemeral || to.Lease != "" {
		return ""
	}
	return KeptIn(r.config.StateDir, name)
}

// Resume makes the instances again that are kept beside the default one. One whose directory cannot be used is left out
// with an error in the log: its name is refused (DamagedInstance) until it is deleted, or the daemon starts with a
// directory that is repaired or moved away.
func (r *Registry) Resume(ctx context.Context) error {
	folder := filepath.Join(r.config.StateDir, instancesFolder)
	names, err := journal.List(folder, r.config.Journal)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !validInstanceName(name) {
			continue // of another program
		}
		dir := KeptIn(r.config.StateDir, name)
		r.seeds.next(nil) // those that follow have other ones
		_, err := r.admit(ctx, &Placement{Name: name}, func(string) (*startConfig, error) {
			return r.resume(&Spec{Journal: dir}, Pacing{}, replica.Config{Version: r.config.Version, Keys: &r.keys}, true)
		})
		if errors.Is(err, errIncomplete) {
			err = journal.Remove(dir, r.config.Journal)
		}
		if bad, ok := errors.AsType[*Refusal](err); ok && bad.Reason == BadFolder {
			r.directory.leaveOut(name, DamagedInstance.Refuse(name, bad.Arguments[1], dir))
			r.config.Log.Error("an instance is left out; the others go on", "instance", name, "directory", dir, "error", bad.Arguments[1])
			continue
		}
		if err != nil {
			return fmt.Errorf("instance %s, which is kept in %q, cannot go on: %w", name, dir, err)
		}
	}
	return nil
}

// errIncomplete is for the directory of an instance that was never complete, or that is deleted.
var errIncomplete = errors.New("the state directory has no complete instance")

// keepFrom makes an instance that goes on from a network a durable one, which is kept in a directory; "" for none. The
// network is closed where that fails. from is what keeps the instance that it was forked from, nil for none.
func (r *Registry) keepFrom(dir string, network *replica.Network, from *keeper, f *startConfig) (err error) {
	f.start = func(config node.Config) (*node.Node, error) { return node.Wake(network, config), nil }
	if dir == "" {
		return nil
	}
	defer func() {
		if err != nil {
			network.Close()
		}
	}()
	k, there, err := r.openKept(dir)
	if err != nil {
		return refusedFolder(dir, err)
	}
	if there {
		err = BadFolder.Refuse(dir, "it has an instance that does not run: move it away")
	} else if err = k.renew(); err == nil {
		if from != nil {
			k.journal.Adopt(from.journal)
		}
		err = k.Rebase(network)
	}
	if err != nil {
		return errors.Join(refusedFolder(dir, err), k.journal.Close())
	}
	f.keeper, f.about.Journal = k, dir
	return nil
}

// renew forgets what a directory has of a deleted instance beside its network.
func (k *keeper) renew() error {
	k.kept = kept{}
	return k.journal.RemoveOthers(nil)
}

// forget makes a directory one of no instance. Its checkpoints are good for nothing from then on.
func (k *keeper) forget() error { return k.change(func(k *kept) { k.Complete = false }) }

// complete reports whether the directory has an instance that goes on at the next start.
func (k *keeper) complete() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept.Complete
}
