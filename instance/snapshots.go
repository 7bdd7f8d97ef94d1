package instance

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// snapshots holds the snapshots of an instance by name.
type snapshots struct {
	mu     sync.Mutex // guards what follows
	kept   map[string]*snapshot
	chosen int // number of names that the daemon chose
	closed bool
}

// snapshot is a network that is not running. One goroutine at a time may use it.
type snapshot struct {
	about   Snapshot
	lineage []Ancestor                       // of a network that continues it
	mu      sync.Mutex                       // guards network; held while it is forked or restored
	network *replica.Network                 // nil once it is closed, or before load
	load    func() (*replica.Network, error) // reads it from the state directory on first use; nil: already read
}

// close frees the network.
func (s *snapshot) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load = nil
	if s.network != nil {
		s.network.Close()
		s.network = nil
	}
}

// TakeSnapshot saves the present under a name.
func (i *Instance) TakeSnapshot(ctx context.Context, name string, replace bool) (Snapshot, error) {
	if err := checkName("snapshot", name); err != nil {
		return Snapshot{}, err
	}
	if err := i.snapshots.room(i.name, name, replace); err != nil {
		return Snapshot{}, err
	}
	i.lineage.turn.Lock()
	defer i.lineage.turn.Unlock()
	network, err := i.driver.Snapshot(ctx, replica.ForkConfig{})
	if err != nil {
		return Snapshot{}, err
	}
	s := &snapshot{network: network, about: Snapshot{Taken: i.clock.wall(), Canisters: network.Census().Canisters}}
	activity := network.Activity()
	s.about.Time, s.about.Height = activity.Time, activity.Height
	s.lineage = i.lineage.at(s.about.Height)
	file, err := i.keepFile(network)
	if err != nil {
		s.close()
		return Snapshot{}, err
	}
	before, err := i.snapshots.put(i.name, name, s, replace)
	if err != nil {
		s.close()
		return Snapshot{}, err
	}
	if before != nil {
		before.close()
	}
	return s.about, i.enterSnapshot(s, file)
}

// room refuses a snapshot above the limit.
func (s *snapshots) room(owner, name string, replace bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.admit(owner, name, replace)
}

// admit is room for callers that hold the lock.
func (s *snapshots) admit(owner, name string, replace bool) error {
	switch before := s.kept[name]; {
	case s.closed:
		return driver.ErrClosed
	case before != nil && !replace:
		return SnapshotExists.Refuse(owner, name)
	case before == nil && len(s.kept) >= MaxSnapshots:
		return TooManySnapshots.Refuse(owner, MaxSnapshots)
	}
	return nil
}

// put adds a snapshot under a name, or a free one, and returns the one that it replaces.
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

// Snapshots returns all snapshots, ordered by name.
func (i *Instance) Snapshots() []Snapshot {
	i.snapshots.mu.Lock()
	defer i.snapshots.mu.Unlock()
	all := make([]Snapshot, 0, len(i.snapshots.kept))
	for _, s := range i.snapshots.kept {
		all = append(all, s.about)
	}
	slices.SortFunc(all, func(a, b Snapshot) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// DeleteSnapshot deletes a snapshot.
func (i *Instance) DeleteSnapshot(name string) error {
	i.snapshots.mu.Lock()
	s := i.snapshots.kept[name]
	delete(i.snapshots.kept, name)
	i.snapshots.mu.Unlock()
	if s == nil {
		return UnknownSnapshot.Refuse(i.name, name)
	}
	s.close()
	if i.persister == nil {
		return nil
	}
	return i.changeSnapshots(name, nil)
}

// use locks a snapshot and passes it to a function.
func (i *Instance) use(name string, do func(*snapshot) error) error {
	i.snapshots.mu.Lock()
	s := i.snapshots.kept[name]
	i.snapshots.mu.Unlock()
	if s == nil {
		return UnknownSnapshot.Refuse(i.name, name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.load != nil {
		network, err := s.load()
		if err != nil {
			return i.unreadable(fmt.Sprintf("its snapshot %q", name), err)
		}
		s.network, s.load = network, nil
	}
	if s.network == nil { // deleted meanwhile
		return UnknownSnapshot.Refuse(i.name, name)
	}
	return do(s)
}

// Restore makes the instance continue from a snapshot.
func (i *Instance) Restore(ctx context.Context, name string) error {
	i.lineage.turn.Lock()
	defer i.lineage.turn.Unlock()
	return i.use(name, func(kept *snapshot) error {
		err := i.driver.Restore(ctx, kept.network)
		if err != nil {
			return err
		}
		i.lineage.begin(kept.lineage)
		return i.restored()
	})
}

// Frozen returns a fork of a snapshot, or of the present.
func (i *Instance) Frozen(ctx context.Context, name string) (*replica.Network, error) {
	forked, _, err := i.frozen(ctx, name, replica.ForkConfig{})
	return forked, err
}

// frozen also returns the lineage of a network that continues the fork.
func (i *Instance) frozen(ctx context.Context, name string, config replica.ForkConfig) (forked *replica.Network, ancestors []Ancestor, err error) {
	if name == "" {
		i.lineage.turn.Lock()
		defer i.lineage.turn.Unlock()
		if forked, err = i.driver.Snapshot(ctx, config); err != nil {
			return nil, nil, err
		}
		height := forked.Activity().Height
		return forked, i.lineage.at(height), nil
	}
	err = i.use(name, func(kept *snapshot) error {
		forked, ancestors = kept.network.Fork(config), kept.lineage
		return nil
	})
	return forked, ancestors, err
}

// ahead returns the lead over the wall clock that a fork of a snapshot, or of the present, needs to show the time of
// its source.
func (i *Instance) ahead(snapshot string) time.Duration {
	if snapshot != "" || !i.Pacing().TimeByWallClock() {
		return 0
	}
	return i.Offset()
}

// close frees all snapshots. None can be taken after it.
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
