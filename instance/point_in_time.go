package instance

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
)

// Moment names a past state of an instance. At most one field is set.
type Moment struct {
	Height  uint64             // after this round
	Time    uint64             // ns: after the last round up to this time
	Request *replica.RequestID // before this message was accepted
	Prefix  string             // before the only message whose id begins with these hex digits was accepted
	Mark    string             // at the newest mark with this name
}

func (m *Moment) String() string {
	switch {
	case m.Request != nil:
		return fmt.Sprintf("before message %x", m.Request[:])
	case m.Prefix != "":
		return fmt.Sprintf("before a message whose id begins with %s", m.Prefix)
	case m.Time > 0:
		return "at " + stamp(m.Time)
	case m.Mark != "":
		return fmt.Sprintf("at a mark %q", m.Mark)
	}
	return fmt.Sprintf("after round %d", m.Height)
}

// isRound reports whether the moment is the end of a round. Otherwise it is just before a record.
func (m *Moment) isRound() bool { return m.Request == nil && m.Prefix == "" && m.Mark == "" }

// isAt reports whether the moment is just before a record.
func (m *Moment) isAt(s *step) bool {
	in, ok := s.Input.(*replica.Ingress)
	return ok && m.isMessage(&in.ID) || m.Mark != "" && s.Mark == m.Mark
}

// isMessage reports whether the moment is just before a message.
func (m *Moment) isMessage(id *replica.RequestID) bool {
	return m.Request != nil && *id == *m.Request || m.Prefix != "" && strings.HasPrefix(hex.EncodeToString(id[:]), m.Prefix)
}

// searchResult is the result of the search for a moment, and the range of rounds that a fork can go back to.
type searchResult struct {
	first, last  uint64              // heights
	begins, ends uint64              // ns, times of these rounds
	position     uint64              // number of records before the moment
	still        uint64              // position up to which only the clock moves after the moment
	found        bool                // the journal has the moment
	messages     []replica.RequestID // with the prefix of the moment
}

// setPosition sets the position of the moment.
func (r *searchResult) setPosition(position uint64) {
	r.position, r.still, r.found = position, position, true
}

// addMatch adds a record that the moment is just before.
func (r *searchResult) addMatch(s *step, m *Moment) {
	r.setPosition(s.Position)
	if in, ok := s.Input.(*replica.Ingress); ok && m.Prefix != "" && !slices.Contains(r.messages, in.ID) {
		r.messages = append(r.messages, in.ID)
	}
}

// checkUnique refuses a prefix of several ids.
func (r *searchResult) checkUnique(m *Moment) error {
	if len(r.messages) < 2 {
		return nil
	}
	const listed = 5
	var ids []string
	for i := range r.messages[:min(len(r.messages), listed)] {
		ids = append(ids, hex.EncodeToString(r.messages[i][:]))
	}
	return BadField.Refuse("before_request_prefix", m.Prefix, fmt.Sprintf("%d messages have ids that begin so: %s", len(r.messages), strings.Join(ids, ", ")))
}

// readHistory reads the journal while it is written. A new checkpoint may remove another one, at the beginning of the
// history or in the middle: then readHistory starts again.
func (k *persister) readHistory(read func(all []journal.Checkpoint) error) error {
	for {
		all := k.journal.Checkpoints()
		if len(all) == 0 {
			return refusedFolder(k.journal.Dir(), errNoCheckpoint)
		}
		err := read(all)
		now := k.journal.Checkpoints()
		missing := func(c journal.Checkpoint) bool {
			return !slices.ContainsFunc(now, func(n journal.Checkpoint) bool { return n.File == c.File })
		}
		if err == nil || len(now) == 0 || !slices.ContainsFunc(all, missing) {
			return err
		}
	}
}

// newestBefore returns the newest checkpoint that is before a moment, or else the oldest one.
func newestBefore(all []journal.Checkpoint, is func(*journal.Checkpoint) bool) *journal.Checkpoint {
	for i := range slices.Backward(all) {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return &all[0]
}

// step is a record and the state of the network after it.
type step struct {
	replica.JournalEntry
	Position uint64 // of the record
	Height   uint64 // of the network
	Time     uint64 // ns, of the newest round
	Grew     bool   // the record increased the height
}

// walk passes each record since a checkpoint to a function.
func (k *persister) walk(ctx context.Context, from *journal.Checkpoint, do func(*step) error) error {
	now := step{Height: from.Height, Time: from.Time}
	clock := from.Time
	return k.journal.Records(from.Position, func(position uint64, record []byte) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		now.Position = position
		if now.JournalEntry, err = replica.ReadJournalEntry(record); err != nil {
			return fmt.Errorf("record %d: %w", position, err)
		}
		clock, now.Grew = max(clock, now.JournalEntry.Time), now.Round
		if at, certified := now.Input.(replica.CertifyAt); certified {
			clock = max(clock, uint64(at))
			now.Grew = clock > now.Time
		}
		if now.Grew {
			now.Height++
			now.Time = clock
		}
		return do(&now)
	})
}

// find searches for a moment in the records since the last checkpoint before it.
func (k *persister) find(ctx context.Context, all []journal.Checkpoint, m *Moment) (r searchResult, err error) {
	ended := func(position, height, at uint64) error {
		r.last, r.ends = height, at
		switch {
		case !m.isRound():
		case m.Time > 0 && at > m.Time || m.Time == 0 && height > m.Height:
			return errReached
		case m.Time > 0 && at > 0 || m.Time == 0 && height == m.Height:
			r.setPosition(position)
		}
		return nil
	}
	from := newestBefore(all, func(c *journal.Checkpoint) bool {
		return m.isRound() && c.Time > 0 && (m.Time > 0 && c.Time < m.Time || m.Time == 0 && c.Height < m.Height)
	})
	r.first, r.begins = all[0].Height, all[0].Time
	if err = ended(from.Position, from.Height, from.Time); err == nil {
		err = k.walk(ctx, from, func(s *step) error {
			if m.isAt(s) {
				r.addMatch(s, m)
			}
			if s.Grew {
				return ended(s.Position+1, s.Height, s.Time)
			}
			if s.Clock && r.found && s.Position == r.still {
				r.still++
			}
			return nil
		})
	}
	if errors.Is(err, errReached) {
		err = nil
	}
	if err == nil {
		err = r.checkUnique(m)
	}
	if err == nil && !r.found {
		r.last, r.ends, err = k.lastRound(ctx, all)
	}
	return r, err
}

// lastRound returns the newest round in the records and its time.
func (k *persister) lastRound(ctx context.Context, all []journal.Checkpoint) (height, at uint64, err error) {
	newest := &all[len(all)-1]
	height, at = newest.Height, newest.Time
	err = k.walk(ctx, newest, func(s *step) error {
		height, at = s.Height, s.Time
		return nil
	})
	return height, at, err
}

// refuse refuses a moment that the journal lacks, and names the range that it has.
func (r *searchResult) refuse(name string, m *Moment) error {
	return UnknownMoment.Refuse(name, m.String(), r.first, r.last, stamp(r.begins), stamp(r.ends))
}

func stamp(at uint64) string { return time.Unix(0, int64(at)).UTC().Format(time.RFC3339Nano) }

// replayTo returns the network at the position of a moment, or where only the clock has moved on since: most checkpoints
// are made there. It replays the records after the newest checkpoint before it.
func (k *persister) replayTo(ctx context.Context, all []journal.Checkpoint, r *searchResult, config replica.Config) (_ *replica.Network, err error) {
	from := newestBefore(all, func(c *journal.Checkpoint) bool { return c.Position <= r.still })
	config.Compiler = recordedModules{}
	network, err := readCheckpoint(k.journal, from, config)
	defer func() {
		if err != nil {
			closeNetwork(network, &err)
		}
	}()
	if err != nil || from.Position >= r.position {
		return network, err
	}
	err = k.journal.Records(from.Position, func(now uint64, record []byte) error {
		if now == r.position {
			return errReached
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := replayRecord(network, record); err != nil {
			return fmt.Errorf("record %d: %w", now, err)
		}
		return nil
	})
	if errors.Is(err, errReached) {
		err = nil
	}
	return network, err
}

// errReached ends a replay at the requested moment.
var errReached = errors.New("the moment is reached")

// flushRecords writes everything that has happened so far to the journal, also after a bug has stopped the network.
func (i *Instance) flushRecords(ctx context.Context) error {
	if i.persister == nil {
		return NoHistory.Refuse(i.name)
	}
	err := i.driver.Do(ctx, func(n *replica.Network) { n.RecordClock() })
	if i.driver.Bug() != nil {
		return i.persister.journal.Sync(ctx)
	}
	return err
}

// withJournal runs a function on the history while the journal stays open. Its ctx also ends with the instance. Damage
// of the history and a panic in the function are errors: the instance goes on.
func (i *Instance) withJournal(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	i.Go(func(instance context.Context) {
		defer context.AfterFunc(instance, func() { cancel(context.Cause(instance)) })()
		done <- contain.Run(func() error { return do(ctx) })
	})
	return i.unreadable("its history", <-done)
}

// unreadable returns the refusal for a part of the instance's state directory that is damaged, or with which a bug was
// found. It passes other errors on.
func (i *Instance) unreadable(part string, err error) error {
	if bug, ok := errors.AsType[*contain.Bug](err); ok {
		i.log.Error("reading the state directory failed by a bug; the instance goes on", "part", part, "bug", bug.Panic, "stack", string(bug.Stack))
	} else if !isDamage(err) {
		return err
	}
	return DamagedPast.Refuse(i.name, part, err)
}

// isDamage reports whether an error is about damage in a state directory.
func isDamage(err error) bool {
	_, damaged := errors.AsType[*journal.DamagedError](err)
	return damaged || contain.DamageIn(err) != nil
}

// isFuture reports whether a moment is a time ahead of the network's clock. It is false after a bug.
func (i *Instance) isFuture(ctx context.Context, m *Moment) (bool, error) {
	if m.Time == 0 || i.driver.Bug() != nil {
		return false, nil //nolint:nilerr // a network that a bug has stopped can be forked
	}
	now, err := i.Now(ctx)
	return m.Time > now, err
}

// forkPast returns a fork of the network at a past moment, and its lineage.
func (i *Instance) forkPast(ctx context.Context, m *Moment, fork replica.ForkConfig) (network *replica.Network, ancestors []Ancestor, err error) {
	if err := i.flushRecords(ctx); err != nil {
		return nil, nil, err
	}
	future, err := i.isFuture(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	err = i.withJournal(ctx, func(ctx context.Context) error {
		return i.persister.readHistory(func(all []journal.Checkpoint) error {
			r, err := i.persister.find(ctx, all, m)
			if err != nil {
				return err
			}
			if future {
				if r.last, r.ends, err = i.persister.lastRound(ctx, all); err != nil {
					return err
				}
			}
			if future || !r.found {
				return r.refuse(i.name, m)
			}
			network, err = i.persister.replayTo(ctx, all, &r, replica.Config{Engine: i.engine.Engine, Keys: i.keys})
			if err == nil && m.isRound() {
				network.RewindClock()
			}
			return err
		})
	})
	if err != nil {
		return nil, nil, err
	}
	if fork.Reseed != nil {
		from := network
		network = from.Fork(fork)
		from.Close()
	}
	return network, i.lineage.at(network.Activity().Height), nil
}
