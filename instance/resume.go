package instance

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// resume prepares the start of a durable instance, from its state directory or in an empty one. With again, everything
// comes from the directory. The error is a refusal (BadFolder, BadField) if the directory cannot be used or holds
// another instance than the requested one, and errIncomplete if it holds none to start again.
func (r *Registry) resume(spec *Spec, pacing Pacing, config replica.Config, again bool) (_ *startConfig, err error) {
	k, found, err := r.openKept(spec.Journal)
	if err != nil {
		return nil, refusedFolder(spec.Journal, err)
	}
	k.log = k.log.With("instance", spec.Name)
	defer func() {
		if err != nil {
			err = errors.Join(err, k.journal.Close())
		}
	}()
	asked := made{spec.Subnets, spec.RateLimits, spec.SliceInstructions, spec.RoundInstructions, spec.SystemCanisters}
	about := About{Outcalls: r.outcallsOf(spec.Outcalls), Reach: r.reachOf(spec.Reach), Seed: config.Seed, StateDir: spec.StateDir, Journal: spec.Journal}
	f := &startConfig{about: about, keeper: k, resumed: found}
	if again {
		if !found {
			return nil, errIncomplete
		}
		k.kept.describe(f)
	}
	if found {
		if field := k.kept.Made.differs(&asked); field != "" {
			return nil, BadFolder.Refuse(spec.Journal, "the network that is kept there was created with other "+field+": leave that out to go on with it, or keep the new network in another directory (--state-dir) or not at all (--ephemeral)")
		}
		if f.about.Seed, err = k.kept.seed(); err != nil {
			return nil, refusedFolder(spec.Journal, err)
		}
		if spec.Seed != nil && *spec.Seed != f.about.Seed {
			return nil, BadFolder.Refuse(spec.Journal, "the network that is kept there has another seed: leave the seed out, or name another directory")
		}
		if spec.Pacing == (Pacing{}) {
			pacing = k.kept.Pacing
		}
	}
	engine, err := r.engines.in(f.about.StateDir)
	if err != nil {
		return nil, err
	}
	config.Engine = engine.Engine
	f.pacing, f.engine = pacing, engine
	network, err := k.recoverOrCreate(found, config)
	if err != nil {
		return nil, errors.Join(refusedFolder(spec.Journal, err), r.engines.leave(engine))
	}
	if !found {
		f.system = spec.SystemCanisters
		k.kept.Made = asked
	}
	f.start = func(config driver.Config) (*driver.Driver, error) { return driver.Wake(network, config), nil }
	return f, nil
}

// refusedFolder refuses a directory that cannot be used, is damaged, or whose replay diverges.
func refusedFolder(dir string, err error) error {
	if refused, ok := errors.AsType[*Refusal](err); ok && refused.Reason != nil {
		return err
	}
	if failed, ok := errors.AsType[*journal.FailedError](err); ok {
		return BadFolder.Refuse(dir, failed.Reason())
	}
	return BadFolder.Refuse(dir, err)
}

// recoverOrCreate returns the network of the directory, or creates one and keeps it there.
func (k *persister) recoverOrCreate(found bool, config replica.Config) (*replica.Network, error) {
	if found {
		return k.recoverNetwork(config)
	}
	config.Compiler = recordedModules{}
	network, err := replica.New(config)
	if err != nil {
		return nil, BadTopology.Refuse(err)
	}
	err = k.renew()
	if err == nil {
		err = k.Rebase(network)
	}
	if err != nil {
		network.Close()
		return nil, err
	}
	return network, nil
}

// resume restores the lineage of an instance.
func (l *lineage) resume(k *kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.id, l.ancestors = k.NetworkID, k.Ancestors
}

// resume restores what the directory holds besides the network.
func (i *Instance) resume(k *persister) error {
	i.lineage.resume(&k.kept)
	i.about.Created = k.kept.Created
	files := make([]string, len(k.kept.Snapshots))
	for at := range k.kept.Snapshots {
		s := &k.kept.Snapshots[at]
		files[at] = s.File
		if i.snapshots.kept == nil {
			i.snapshots.kept = make(map[string]*snapshot)
		}
		i.snapshots.kept[s.Name] = &snapshot{about: s.Snapshot, lineage: s.Ancestors, load: func() (*replica.Network, error) { return i.load(s.File) }}
	}
	return k.journal.RemoveOthers(files)
}

// recordStart writes the description of the instance: from then on the directory holds a complete instance.
func (i *Instance) recordStart(ctx context.Context, listen string) error {
	if i.persister == nil {
		return nil
	}
	if _, err := i.driver.SettledView(ctx, 0); err != nil {
		return err
	}
	id, ancestors := i.Lineage()
	return i.persister.change(func(k *kept) {
		k.Complete, k.Created, k.Seed, k.Pacing = true, i.about.Created, hex.EncodeToString(i.about.Seed[:]), i.pacing
		k.NetworkID, k.Ancestors = id, ancestors
		k.Outcalls, k.Reach, k.StateDir, k.ForkedFrom, k.Listen = i.about.Outcalls, i.about.Reach, i.about.StateDir, i.about.ForkedFrom, listen
	})
}

// describe copies the settings of an instance that is started again.
func (k *kept) describe(f *startConfig) {
	f.about.Outcalls, f.about.Reach, f.about.StateDir, f.about.ForkedFrom, f.listen = k.Outcalls, k.Reach, k.StateDir, k.ForkedFrom, k.Listen
}

// restored writes the lineage of the restored network.
func (i *Instance) restored() error {
	if i.persister == nil {
		return nil
	}
	id, ancestors := i.Lineage()
	return i.persister.change(func(k *kept) { k.NetworkID, k.Ancestors = id, ancestors })
}
