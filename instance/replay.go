package instance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Replayed is the result of a replay.
type Replayed struct {
	From, Height            uint64 // heights of the network: at the first checkpoint, and at the end
	Records, Inputs, Rounds uint64
	Roots                   int      // certified roots that were compared
	Checkpoints             int      // checkpoints whose state hash was compared
	StateHash               [32]byte // at the end
	Traces                  []string // call trees of users' messages, as text; the oldest first
	Took                    time.Duration
}

// CheckpointError reports that a replay arrives at another state than a checkpoint.
type CheckpointError struct {
	File     string
	Height   uint64
	Now, Was string // state hashes
}

// Error names the checkpoint and both hashes.
func (e *CheckpointError) Error() string {
	return fmt.Sprintf("the replay diverges before height %d: its state hash is %s, and the one of %s is %s", e.Height, e.Now, e.File, e.Was)
}

// errNoCheckpoint is the error for a directory in which no instance was ever complete.
var errNoCheckpoint = errors.New("the state directory has no checkpoint: no network was ever kept in it")

// Replay replays the journal of a state directory from the oldest checkpoint. It compares the time, the messages, the
// instructions and the certified root of each round, and the state hash at each checkpoint. It makes no outcalls and
// changes nothing. The error may be a *replica.DivergedError, a *CheckpointError or one of package journal. Replay
// checks ctx between records.
func Replay(ctx context.Context, dir string, config Config, traces Traces) (Replayed, error) {
	options := config.Journal
	options.ReadOnly = true
	j, err := journal.Open(dir, options)
	if err != nil {
		return Replayed{}, err
	}
	engines := engines{cacheDir: config.CacheDir, compiler: config.Compiler, memory: given(config.Engine)}
	engine, err := engines.inMemory()
	if err != nil {
		return Replayed{}, errors.Join(err, j.Close())
	}
	pool := driver.NewPool(config.Workers, nil)
	defer pool.Close()
	r := replay{journal: j, config: replica.Config{Engine: engine.Engine, Compiler: recordedModules{}, Runner: pool}}
	recording := driver.NewRecording()
	if traces.Newest > 0 {
		r.config.Events = recording
	}
	begun := time.Now()
	err = contain.Run(func() error {
		defer func() { r.done.Took = time.Since(begun) }()
		return r.run(ctx)
	})
	r.done.Traces = traces.Texts(recording.Events(), r.network, traces.names(j))
	closeNetwork(r.network, &err)
	return r.done, errors.Join(err, engines.leave(engine), engines.close(), j.Close())
}

// replay is the state of Replay.
type replay struct {
	journal *journal.Journal
	config  replica.Config
	network *replica.Network
	left    []journal.Checkpoint // not compared yet
	done    Replayed
}

func (r *replay) run(ctx context.Context) error {
	all := r.journal.Checkpoints()
	if len(all) == 0 {
		return errNoCheckpoint
	}
	var err error
	if r.network, err = readCheckpoint(r.journal, &all[0], r.config); err != nil {
		return err
	}
	r.left, r.done.From = all[1:], all[0].Height
	err = r.journal.Records(all[0].Position, func(position uint64, record []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.compare(position); err != nil {
			return err
		}
		did, err := r.network.Verify(record)
		if err != nil {
			return fmt.Errorf("record %d: %w", position, err)
		}
		r.done.Records++
		r.done.Roots += did.Roots
		if did.Input != nil {
			r.done.Inputs++
		}
		if did.Round {
			r.done.Rounds++
		}
		return nil
	})
	if err == nil {
		err = r.compare(r.journal.Position())
	}
	if err != nil {
		return err
	}
	r.done.Height = r.network.Activity().Height
	r.done.StateHash, err = r.network.StateHash()
	if errors.Is(err, replica.ErrBusy) { // the journal ends within a round
		r.done.StateHash, err = r.network.RootHash(), nil
	}
	return err
}

// compare compares the state with the checkpoint at a position, if there is one.
func (r *replay) compare(position uint64) error {
	if len(r.left) == 0 || r.left[0].Position != position {
		return nil
	}
	c := r.left[0]
	r.left = r.left[1:]
	var hash [32]byte
	comparable := false
	err := r.journal.Read(&c, func(file io.Reader, _ *journal.PageFiles) (err error) {
		defer contain.Into(&err)
		hash, comparable, err = r.network.CheckpointHash(file)
		return err
	})
	if err != nil {
		return err
	}
	was := c.State
	if !comparable {
		if hash, was, err = r.hashesToday(&c); err != nil {
			return err
		}
	}
	r.done.Checkpoints++
	if now := fmt.Sprintf("%x", hash); now != was {
		return &CheckpointError{c.File, c.Height, now, was}
	}
	return nil
}

// hashesToday returns the hashes of the state and of a checkpoint, as if this program had written both.
func (r *replay) hashesToday(c *journal.Checkpoint) (hash [32]byte, was string, err error) {
	kept, err := readCheckpoint(r.journal, c, r.config)
	if err != nil {
		return hash, "", err
	}
	defer func() { closeNetwork(kept, &err) }()
	written, err := kept.HashAsCheckpoint()
	if err != nil {
		return hash, "", err
	}
	hash, err = r.network.HashAsCheckpoint()
	return hash, fmt.Sprintf("%x", written), err
}

// Compact reduces a state directory to one checkpoint without records. The state stays the same.
func Compact(dir string, config Config) error {
	r := NewRegistry(config)
	k, found, err := r.openKept(dir)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	if !found {
		return errors.Join(errNoCheckpoint, k.journal.Close(), r.Close())
	}
	engine, err := r.engines.inMemory()
	if err != nil {
		return errors.Join(err, k.journal.Close(), r.Close())
	}
	network, err := k.recoverNetwork(replica.Config{Engine: engine.Engine, Keys: &r.keys})
	if err == nil {
		if err = k.Rebase(network); err == nil {
			err = k.journal.Compact()
		}
		closeNetwork(network, &err)
	}
	return errors.Join(err, k.close(), r.engines.leave(engine), r.Close())
}
