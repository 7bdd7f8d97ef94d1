package instance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// instancesFolder is the folder of a state directory for those of the other instances, by name.
const instancesFolder = "instances"

// KeptIn returns the state directory of an instance inside the one of a daemon.
func KeptIn(stateDir, name string) string {
	if name == "" || name == Default {
		return stateDir
	}
	return filepath.Join(stateDir, instancesFolder, name)
}

// KeptNames returns the names of the instances that are kept in the state directory of a daemon besides the default
// one.
func KeptNames(stateDir string) (names []string, err error) {
	all, err := os.ReadDir(filepath.Join(stateDir, instancesFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for instances in state directory %q: %w", stateDir, err)
	}
	for _, entry := range all {
		if entry.IsDir() && validInstanceName(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// keptIn returns the state directory for a new instance, "" for one that ends with the process.
func (r *Registry) keptIn(to *Placement, name string) string {
	if r.config.StateDir == "" || to.Ephemeral || to.Lease != "" {
		return ""
	}
	return KeptIn(r.config.StateDir, name)
}

// Resume restarts the kept instances other than the default one. If a directory cannot be used, it logs an error and
// skips the instance: its name is refused (DamagedInstance) until it is deleted, or the daemon starts with a directory
// that is repaired or moved away.
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
		r.seeds.next() // so that later instances get other seeds
		_, err := r.admit(ctx, &Placement{Name: name}, func(string) (*startConfig, error) {
			return r.resume(&Spec{Placement: Placement{Name: name}, Journal: dir}, Pacing{}, replica.Config{Version: r.config.Version, Keys: &r.keys}, true)
		})
		if errors.Is(err, errIncomplete) {
			err = journal.Remove(dir, r.config.Journal)
		}
		refused, ok := errors.AsType[*Refusal](err)
		if ok && refused.Reason == BadFolder {
			err = nil
			r.leaveOut(name, dir, refused.Arguments[1])
		} else if err != nil && (!ok || refused.Reason == nil) && ctx.Err() == nil {
			r.leaveOut(name, dir, err)
			err = nil
		}
		if err != nil {
			return fmt.Errorf("instance %s, which is kept in %q, cannot go on: %w", name, dir, err)
		}
	}
	return nil
}

// leaveOut reserves the name of a kept instance that cannot be started, with the reason.
func (r *Registry) leaveOut(name, dir string, why any) {
	r.directory.leaveOut(name, DamagedInstance.Refuse(name, why, dir))
	r.config.Log.Error("an instance is left out; the others go on", "instance", name, "directory", dir, "error", why)
}

// errIncomplete is for the directory of an instance that never was complete, or was deleted.
var errIncomplete = errors.New("the state directory has no complete instance")

// keepFrom makes an instance that continues a network durable, in a directory; "" for none. On failure it closes the
// network. from keeps the instance that it was forked from, nil for none.
func (r *Registry) keepFrom(dir string, network *replica.Network, from *persister, f *startConfig) (err error) {
	f.start = func(config driver.Config) (*driver.Driver, error) { return driver.Wake(network, config), nil }
	if dir == "" {
		return nil
	}
	defer func() {
		if err != nil {
			network.Close()
		}
	}()
	k, found, err := r.openKept(dir)
	if err != nil {
		return refusedFolder(dir, err)
	}
	if found {
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

// renew clears what a directory holds of a deleted instance besides its network.
func (k *persister) renew() error {
	k.kept = kept{}
	return k.journal.RemoveOthers(nil)
}

// forget marks a directory as holding no instance. Its checkpoints are useless from then on.
func (k *persister) forget() error { return k.change(func(k *kept) { k.Complete = false }) }

// complete reports whether the directory holds an instance that continues at the next start.
func (k *persister) complete() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept.Complete
}
