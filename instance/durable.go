package instance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// persister keeps an instance in its state directory: it is the journal of the instance's driver, and makes
// checkpoints.
type persister struct {
	journal *journal.Journal
	log     *slog.Logger
	due     chan struct{} // has a value when a checkpoint is due
	changed chan struct{} // has a value when a record was not idle since the last root
	limit   int64         // bytes of records after which a checkpoint is due

	// Written by the owner of the network. All except writtenBefore count from the last checkpoint on.
	records, bytes atomic.Int64
	writtenBefore  int64       // bytes of records since the last base at the time the directory was opened
	busy           atomic.Bool // a record was not idle
	requested      atomic.Bool // a checkpoint was requested because of the number of records
	ageTimer       *time.Timer // makes a checkpoint due; nil before the first record that is not idle

	mu   sync.Mutex // guards kept
	kept kept
}

// Record implements replica.Journal. An instance in which only time passes writes neither records nor checkpoints.
func (k *persister) Record(record []byte, idle bool) {
	k.journal.Append(record, idle)
	records, bytes := k.records.Add(1), k.bytes.Add(int64(len(record)))
	first := !idle && k.busy.CompareAndSwap(false, true)
	switch {
	case first && k.ageTimer == nil:
		k.ageTimer = time.AfterFunc(checkpointAge, k.requestCheckpoint)
	case first:
		k.ageTimer.Reset(checkpointAge)
	}
	k.countRecords(records, bytes)
	if !idle {
		notify(k.changed)
	}
}

// countRecords requests a checkpoint if there are enough records for one.
func (k *persister) countRecords(records, bytes int64) {
	if (records >= checkpointRecords || bytes >= k.limit) && k.requested.CompareAndSwap(false, true) {
		k.requestCheckpoint()
	}
}

// requestCheckpoint makes a checkpoint due.
func (k *persister) requestCheckpoint() { notify(k.due) }

// notify sends a value to a channel with a buffer of one, unless it has one.
func notify(channel chan<- struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// hashAll computes certified roots while the network changes, until ctx ends. The records of later rounds include them,
// and replays compare them. Adding a request to the tree takes as long as executing it, so hashAll computes at most one
// root per rootInterval, and none if more than rootRecords records came in that time.
func (k *persister) hashAll(ctx context.Context, d *driver.Driver) {
	for before := k.journal.Position(); ; {
		select {
		case <-ctx.Done():
			return
		case <-k.changed:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(rootInterval): // usually the round of the change has ended then
		}
		now := k.journal.Position()
		if timeForRoot(before, now) {
			d.View().HashTrees()
		}
		before = now
	}
}

// timeForRoot reports whether few enough records came in an interval to compute a root.
func timeForRoot(before, now uint64) bool { return now-before <= rootRecords }

// Sync implements driver.Journal.
func (k *persister) Sync(ctx context.Context, position uint64) error {
	return k.journal.SyncTo(ctx, position)
}

// Position implements driver.Journal.
func (k *persister) Position() uint64 { return k.journal.Position() }

// Rebase implements driver.Journal. It keeps another network, to which the following records belong.
func (k *persister) Rebase(network *replica.Network) error {
	if err := k.journal.Sync(context.Background()); err != nil {
		return err
	}
	at := k.describeCheckpoint(network)
	at.Base, at.Written = true, 0
	k.writtenBefore = -k.journal.Written()
	if err := k.writeCheckpoint(at, network); err != nil {
		return err
	}
	k.resetCounts()
	return nil
}

// describeCheckpoint returns the description of a checkpoint of the current network.
func (k *persister) describeCheckpoint(network *replica.Network) journal.Checkpoint {
	now := network.Activity()
	return journal.Checkpoint{
		Position: k.journal.Position(), Height: now.Height, Time: now.Time, Written: k.writtenBefore + k.journal.Written(), Made: time.Now(),
	}
}

// resetCounts starts the counts after a checkpoint.
func (k *persister) resetCounts() {
	k.records.Store(0)
	k.bytes.Store(0)
	k.busy.Store(false)
	k.requested.Store(false)
}

// checkpoint makes a checkpoint of the network of a driver, unless nothing has happened since the last one.
func (k *persister) checkpoint(d *driver.Driver) (err error) {
	var at journal.Checkpoint
	var frozen *replica.Network
	err = d.Do(context.Background(), func(network *replica.Network) {
		network.RecordClock()
		if k.records.Load() == 0 {
			return
		}
		if network.Activity().RoundOpen {
			k.requested.Store(false) // a later record requests it again
			return
		}
		at = k.describeCheckpoint(network)
		frozen = network.Fork(replica.ForkConfig{})
		k.resetCounts()
	})
	defer closeNetwork(frozen, &err)
	if err != nil || frozen == nil {
		return err
	}
	defer k.log.Debug("a checkpoint ends", "position", at.Position, "height", at.Height)
	k.log.Debug("a checkpoint begins", "position", at.Position, "height", at.Height)
	return k.writeCheckpoint(at, frozen)
}

// writeCheckpoint writes a checkpoint.
func (k *persister) writeCheckpoint(at journal.Checkpoint, network *replica.Network) error {
	_, err := k.journal.Keep(at, func(w io.Writer, pages *journal.PageFiles) (state [32]byte, err error) {
		defer contain.Into(&err)
		return network.Checkpoint(w, pages)
	})
	return err
}

// readCheckpoint returns the network of a checkpoint.
func readCheckpoint(j *journal.Journal, c *journal.Checkpoint, config replica.Config) (network *replica.Network, err error) {
	err = j.Read(c, func(file io.Reader, pages *journal.PageFiles) (err error) {
		defer contain.Into(&err)
		network, err = replica.Recover(file, pages, config)
		return err
	})
	return network, err
}

// replayRecord applies a record to a network. A panic in it becomes an error.
func replayRecord(network *replica.Network, record []byte) (err error) {
	defer contain.Into(&err)
	_, err = network.Replay(record)
	return err
}

// closeNetwork frees a network that is not of a driver, and adds a panic in it to an error. It may be nil.
func closeNetwork(network *replica.Network, err *error) {
	defer contain.Into(err)
	if network != nil {
		network.Close()
	}
}

// runCheckpoints makes checkpoints when they are due, until ctx ends. One that fails is retried when the next is due,
// because the records are still there. A failure of the journal stops the driver, even if no client is waiting.
func (k *persister) runCheckpoints(ctx context.Context, d *driver.Driver) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.journal.Failed():
			_ = d.Settle(ctx) // the driver reports it
			return
		case <-k.due:
		}
		if err := k.checkpoint(d); err != nil && !errors.Is(err, driver.ErrClosed) {
			k.log.Error("a checkpoint could not be made; the journal goes on", "error", err)
		}
	}
}

// recoverNetwork returns the network in the state directory: it replays the records after the newest checkpoint.
func (k *persister) recoverNetwork(config replica.Config) (*replica.Network, error) {
	all := k.journal.Checkpoints()
	if len(all) == 0 {
		return nil, &journal.DamagedError{Dir: k.journal.Dir(), File: "its store", Err: errors.New("it has no checkpoint")}
	}
	begun, newest := time.Now(), all[len(all)-1]
	config.Compiler = recordedModules{}
	network, err := readCheckpoint(k.journal, &newest, config)
	var records, bytes int64
	if err == nil {
		err = k.journal.Records(newest.Position, func(position uint64, record []byte) error {
			records++
			bytes += int64(len(record))
			if err := replayRecord(network, record); err != nil {
				return fmt.Errorf("record %d, of %d after %s: %w", position, k.journal.Position()-newest.Position, newest.File, err)
			}
			return nil
		})
	}
	if err != nil {
		closeNetwork(network, &err)
		return nil, err
	}
	k.records.Store(records)
	k.bytes.Store(bytes)
	k.writtenBefore = newest.Written + bytes
	k.countRecords(records, bytes)
	k.log.Info("the state is restored", "height", network.Activity().Height, "records", records, "took", time.Since(begun).Round(time.Millisecond))
	return network, nil
}

// recordedModules is the Compiler of a replay: the records say when a module is ready.
type recordedModules struct{}

// Compile does nothing.
func (recordedModules) Compile(replica.Compilation) {}

// checkpointLast makes the last checkpoint before a driver is closed, so that the next start replays nothing.
func (k *persister) checkpointLast(d *driver.Driver) error {
	if d.Bug() == nil {
		return k.checkpoint(d)
	}
	return nil // the records are more reliable
}

// close releases the directory. The driver must be closed.
func (k *persister) close() error {
	if k.ageTimer != nil {
		k.ageTimer.Stop()
	}
	return k.journal.Close()
}
