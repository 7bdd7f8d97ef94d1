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

	"github.com/canisterd/canisterd/daemon/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// keeper keeps an instance in its state directory: it is the journal of the instance's node, and sees to checkpoints.
type keeper struct {
	journal *journal.Journal
	log     *slog.Logger
	due     chan struct{} // has a value when a checkpoint is due
	changed chan struct{} // has a value when a record was not idle since the last root
	most    int64         // bytes of records after which one is due

	// The owner of the network writes these. All but before count from the last checkpoint on.
	records, bytes atomic.Int64
	before         int64       // bytes of records since the last base, when the directory was opened
	busy           atomic.Bool // a record was not idle
	many           atomic.Bool // there are so many records that one is due
	aging          *time.Timer // makes a checkpoint due; nil until there is such a record

	mu   sync.Mutex // guards kept
	kept kept
}

// Record takes a record. It implements replica.Journal. An instance that only lets time pass writes nothing: neither
// records nor checkpoints.
func (k *keeper) Record(record []byte, idle bool) {
	k.journal.Append(record, idle)
	records, bytes := k.records.Add(1), k.bytes.Add(int64(len(record)))
	first := !idle && k.busy.CompareAndSwap(false, true)
	switch {
	case first && k.aging == nil:
		k.aging = time.AfterFunc(checkpointAge, k.want)
	case first:
		k.aging.Reset(checkpointAge)
	}
	k.count(records, bytes)
	if !idle {
		notify(k.changed)
	}
}

// count asks for a checkpoint after so many records.
func (k *keeper) count(records, bytes int64) {
	if (records >= checkpointRecords || bytes >= k.most) && k.many.CompareAndSwap(false, true) {
		k.want()
	}
}

// want asks for a checkpoint.
func (k *keeper) want() { notify(k.due) }

func notify(channel chan<- struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// hashAll computes the certified root of the last round while the network changes, until ctx ends: the records of the next
// rounds have it, for replays. To put a request into the tree takes as long as to execute it. So there is a root every
// rootInterval at most, and none while there are more than rootRecords records in that time.
func (k *keeper) hashAll(ctx context.Context, n *node.Node) {
	for before := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-k.changed:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(rootInterval): // the round that changes something is over then, as a rule
		}
		now := k.journal.Position()
		if few(before, now) {
			n.View().HashTrees()
		}
		before = now
	}
}

// few reports whether so few records came in an interval that there is time for a root.
func few(before, now uint64) bool { return now-before <= rootRecords }

// Sync implements node.Journal.
func (k *keeper) Sync(ctx context.Context, position uint64) error {
	return k.journal.SyncTo(ctx, position)
}

// Position implements node.Journal.
func (k *keeper) Position() uint64 { return k.journal.Position() }

// Rebase keeps another network, of which the records that follow are. It implements node.Journal.
func (k *keeper) Rebase(network *replica.Network) error {
	if err := k.journal.Sync(context.Background()); err != nil {
		return err
	}
	at := k.present(network)
	at.Base, at.Written = true, 0
	k.before = -k.journal.Written()
	if err := k.write(at, network); err != nil {
		return err
	}
	k.begin()
	return nil
}

// present describes a checkpoint of the network as it is now.
func (k *keeper) present(network *replica.Network) journal.Checkpoint {
	now := network.Activity()
	return journal.Checkpoint{
		Position: k.journal.Position(), Height: now.Height, Time: now.Time, Written: k.before + k.journal.Written(), Made: time.Now(),
	}
}

// begin counts what comes after a checkpoint.
func (k *keeper) begin() {
	k.records.Store(0)
	k.bytes.Store(0)
	k.busy.Store(false)
	k.many.Store(false)
}

// keep keeps the network of a node as it is now, unless nothing has happened since the last checkpoint.
func (k *keeper) keep(n *node.Node) error {
	var at journal.Checkpoint
	var frozen *replica.Network
	err := n.Do(context.Background(), func(network *replica.Network) {
		network.RecordClock()
		if k.records.Load() == 0 {
			return
		}
		if network.Activity().RoundOpen {
			k.many.Store(false) // a later record asks again
			return
		}
		at = k.present(network)
		frozen = network.Fork(replica.ForkConfig{})
		k.begin()
	})
	if frozen != nil {
		defer frozen.Close()
	}
	if err != nil || frozen == nil {
		return err
	}
	defer k.log.Debug("a checkpoint ends", "position", at.Position, "height", at.Height)
	k.log.Debug("a checkpoint begins", "position", at.Position, "height", at.Height)
	return k.write(at, frozen)
}

// write makes a checkpoint.
func (k *keeper) write(at journal.Checkpoint, network *replica.Network) error {
	_, err := k.journal.Keep(at, func(w io.Writer, pages *journal.PageFiles) ([32]byte, error) { return network.Checkpoint(w, pages) })
	return err
}

// read makes the network of a checkpoint.
func read(j *journal.Journal, c *journal.Checkpoint, config replica.Config) (network *replica.Network, err error) {
	err = j.Read(c, func(file io.Reader, pages *journal.PageFiles) error {
		network, err = replica.Recover(file, pages, config)
		return err
	})
	return network, err
}

// keepAll makes checkpoints when they are due, until ctx ends. One that fails is tried again when the next is due: the
// records are there. A failure of the journal stops the node, even if no client waits for it.
func (k *keeper) keepAll(ctx context.Context, n *node.Node) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.journal.Failed():
			_ = n.Settle(ctx) // the node tells it
			return
		case <-k.due:
		}
		if err := k.keep(n); err != nil && !errors.Is(err, node.ErrClosed) {
			k.log.Error("a checkpoint could not be made; the journal goes on", "error", err)
		}
	}
}

// recovered is the network that the state directory has: its newest checkpoint, and what the records after it tell.
func (k *keeper) recovered(config replica.Config) (*replica.Network, error) {
	all := k.journal.Checkpoints()
	if len(all) == 0 {
		return nil, &journal.DamagedError{Dir: k.journal.Dir(), File: "its store", Err: errors.New("it has no checkpoint")}
	}
	begun, newest := time.Now(), all[len(all)-1]
	config.Compiler = recordedModules{}
	network, err := read(k.journal, &newest, config)
	var records, bytes int64
	if err == nil {
		err = k.journal.Records(newest.Position, func(position uint64, record []byte) error {
			records++
			bytes += int64(len(record))
			if _, err := network.Replay(record); err != nil {
				return fmt.Errorf("record %d, of %d after %s: %w", position, k.journal.Position()-newest.Position, newest.File, err)
			}
			return nil
		})
	}
	if err != nil {
		if network != nil {
			network.Close()
		}
		return nil, err
	}
	k.records.Store(records)
	k.bytes.Store(bytes)
	k.before = newest.Written + bytes
	k.count(records, bytes)
	k.log.Info("the state is restored", "height", network.Activity().Height, "records", records, "took", time.Since(begun).Round(time.Millisecond))
	return network, nil
}

// recordedModules is the Compiler of a replay: the records tell when a module is ready.
type recordedModules struct{}

// Compile does nothing.
func (recordedModules) Compile(replica.Compilation) {}

// keepLast makes the last checkpoint of a node that is to be closed, so that the next start replays nothing.
func (k *keeper) keepLast(n *node.Node) error {
	if n.Bug() == nil {
		return k.keep(n)
	}
	return nil // the records are the better copy
}

// close gives the directory back. The node is closed.
func (k *keeper) close() error {
	if k.aging != nil {
		k.aging.Stop()
	}
	return k.journal.Close()
}
