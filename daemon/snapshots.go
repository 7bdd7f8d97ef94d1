package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// snapshots are the kept states of an instance by name.
type snapshots struct {
	mu     sync.Mutex
	kept   map[string]*snapshot
	chosen int // names the daemon has given
	closed bool
}

// snapshot is a network that sleeps. One goroutine at a time may have it.
type snapshot struct {
	about   instance.Snapshot
	lineage []instance.Ancestor // of a network that goes on from it
	mu      sync.Mutex
	network *replica.Network // nil once it is closed
}

// close frees the network.
func (s *snapshot) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.network != nil {
		s.network.Close()
		s.network = nil
	}
}

// TakeSnapshot keeps the present under a name.
func (i *member) TakeSnapshot(ctx context.Context, name string, replace bool) (instance.Snapshot, error) {
	if err := checkName("snapshot", name); err != nil {
		return instance.Snapshot{}, err
	}
	if err := i.snapshots.room(i.name, name, replace); err != nil {
		return instance.Snapshot{}, err
	}
	i.lineage.turn.Lock()
	defer i.lineage.turn.Unlock()
	network, err := i.node.Snapshot(ctx, replica.ForkConfig{})
	if err != nil {
		return instance.Snapshot{}, err
	}
	s := &snapshot{network: network, about: instance.Snapshot{Taken: time.Now(), Canisters: network.Census().Canisters}}
	s.about.Time, s.about.Height = network.Now()
	s.lineage = i.lineage.at(s.about.Height)
	before, err := i.snapshots.put(i.name, name, s, replace)
	if err != nil {
		s.close()
		return instance.Snapshot{}, err
	}
	if before != nil {
		before.close()
	}
	return s.about, nil
}

// room refuses a snapshot for which there is none.
func (s *snapshots) room(owner, name string, replace bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.admit(owner, name, replace)
}

// admit is room for who has the lock.
func (s *snapshots) admit(owner, name string, replace bool) error {
	switch before := s.kept[name]; {
	case s.closed:
		return node.ErrClosed
	case before != nil && !replace:
		return instance.SnapshotExists.Refuse(owner, name)
	case before == nil && len(s.kept) >= MaxSnapshots:
		return instance.TooManySnapshots.Refuse(owner, MaxSnapshots)
	}
	return nil
}

// put adds a snapshot under a name, or one that is free, and gives the one that had it.
func (s *snapshots) put(owner, name string, kept *snapshot, replace bool) (before *snapshot, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.admit(owner, name, replace); err != nil {
		return nil, err
	}
	for name == "" {
		s.chosen++
		if chosen := fmt.Sprintf("snapshot-%d", s.chosen); s.kept[chosen] == nil {
			name = chosen
		}
	}
	if s.kept == nil {
		s.kept = make(map[string]*snapshot)
	}
	before = s.kept[name]
	kept.about.Name = name
	s.kept[name] = kept
	return before, nil
}

// Snapshots are all snapshots by name.
func (i *member) Snapshots() []instance.Snapshot {
	i.snapshots.mu.Lock()
	defer i.snapshots.mu.Unlock()
	all := make([]instance.Snapshot, 0, len(i.snapshots.kept))
	for _, s := range i.snapshots.kept {
		all = append(all, s.about)
	}
	slices.SortFunc(all, func(a, b instance.Snapshot) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// DeleteSnapshot forgets a snapshot.
func (i *member) DeleteSnapshot(name string) error {
	i.snapshots.mu.Lock()
	s := i.snapshots.kept[name]
	delete(i.snapshots.kept, name)
	i.snapshots.mu.Unlock()
	if s == nil {
		return instance.UnknownSnapshot.Refuse(i.name, name)
	}
	s.close()
	return nil
}

// use does something with a snapshot, which nobody else has meanwhile.
func (i *member) use(name string, do func(*snapshot) error) error {
	i.snapshots.mu.Lock()
	s := i.snapshots.kept[name]
	i.snapshots.mu.Unlock()
	if s == nil {
		return instance.UnknownSnapshot.Refuse(i.name, name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.network == nil { // deleted meanwhile
		return instance.UnknownSnapshot.Refuse(i.name, name)
	}
	return do(s)
}

// Restore lets the instance go on from a snapshot.
func (i *member) Restore(ctx context.Context, name string) error {
	i.lineage.turn.Lock()
	defer i.lineage.turn.Unlock()
	return i.use(name, func(kept *snapshot) error {
		err := i.node.Restore(ctx, kept.network)
		if err == nil {
			i.lineage.begin(kept.lineage)
		}
		return err
	})
}

// Frozen is a fork of a snapshot, or of the present.
func (i *member) Frozen(ctx context.Context, name string) (*replica.Network, error) {
	forked, _, err := i.frozen(ctx, name, replica.ForkConfig{})
	return forked, err
}

// frozen is also what a network that goes on from the fork has for its lineage.
func (i *member) frozen(ctx context.Context, name string, config replica.ForkConfig) (forked *replica.Network, ancestors []instance.Ancestor, err error) {
	if name == "" {
		i.lineage.turn.Lock()
		defer i.lineage.turn.Unlock()
		if forked, err = i.node.Snapshot(ctx, config); err != nil {
			return nil, nil, err
		}
		_, height := forked.Now()
		return forked, i.lineage.at(height), nil
	}
	err = i.use(name, func(kept *snapshot) error {
		forked, ancestors = kept.network.Fork(config), kept.lineage
		return nil
	})
	return forked, ancestors, err
}

// ahead is how far ahead of the wall clock a fork of a snapshot, or of the present, has to
// be to show the time its source shows.
func (i *member) ahead(snapshot string) time.Duration {
	if snapshot != "" || i.Pacing().Mode == Manual {
		return 0
	}
	return i.Offset()
}

// close frees all snapshots; none is taken from here on.
func (s *snapshots) close() {
	s.mu.Lock()
	s.closed = true
	kept := s.kept
	s.kept = nil
	s.mu.Unlock()
	for _, one := range kept {
		one.close()
	}
}

// Fork makes an instance that goes on from the present of another, or from one of its
// snapshots.
func (d *Daemon) Fork(ctx context.Context, spec *instance.ForkSpec) (control.Instance, error) {
	source := d.instances.get(spec.Source)
	if source == nil {
		return nil, instance.UnknownInstance.Refuse(cmp.Or(spec.Source, instance.Default))
	}
	if err := checkName("name", spec.Name); err != nil {
		return nil, err
	}
	pacing := source.Pacing()
	if spec.Pacing != nil {
		pacing = settled(*spec.Pacing)
		if err := pacing.Check(); err != nil {
			return nil, err
		}
	}
	i, err := d.admit(ctx, &spec.Placement, func(string) (*startConfig, error) {
		// The engine outlives the source: the fork has a use of it before it is made.
		engine := d.engines.share(source.engine)
		ahead := source.ahead(spec.Snapshot)
		network, ancestors, err := source.frozen(ctx, spec.Snapshot, replica.ForkConfig{Reseed: spec.Reseed})
		if err != nil {
			return nil, errors.Join(err, d.engines.leave(engine))
		}
		about := instance.About{
			Outcalls: source.about.Outcalls, Reach: source.about.Reach, Seed: source.about.Seed, StateDir: source.about.StateDir, ForkedFrom: source.name,
		}
		if spec.Snapshot != "" {
			about.ForkedFrom += "@" + spec.Snapshot
		}
		return &startConfig{about: about, pacing: pacing, ahead: ahead, engine: engine, ancestors: ancestors, start: func(config node.Config) (*node.Node, error) {
			return node.Wake(network, config), nil
		}}, nil
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}
