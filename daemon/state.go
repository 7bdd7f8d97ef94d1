package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/daemon/journal"
)

// What state directories have, for programs that look after them. No daemon may have the directory open.
type (
	// StateHealth is what is in a state directory, and what is damaged in it.
	StateHealth = journal.Health
	// Replayed is what the history of a state directory came to.
	Replayed = instance.Replayed
	// Retention is how much of its history a kept instance has.
	Retention = journal.Retention
)

// DefaultRetention is the history that canisterd start keeps.
func DefaultRetention() Retention { return journal.DefaultRetention() }

// InstanceStateDir is the state directory of an instance in the one of a daemon.
func InstanceStateDir(stateDir, name string) string { return instance.KeptIn(stateDir, name) }

// CheckState reads everything in a state directory and changes nothing. The error says why the directory cannot be read
// at all.
func CheckState(dir string) (StateHealth, error) {
	j, err := journal.Open(dir, journal.Options{ReadOnly: true, Damaged: true})
	if err != nil {
		return StateHealth{}, forRepair(err)
	}
	h := j.Check()
	for _, err := range h.Damaged {
		if failed, ok := errors.AsType[*journal.FailedError](err); ok {
			return h, errors.Join(failed, j.Close())
		}
	}
	return h, j.Close()
}

// RepairState makes a damaged state directory one from which a daemon goes on. lost says from which record on records
// were removed, the end of them if none.
func RepairState(dir string) (health StateHealth, lost uint64, err error) {
	j, err := journal.Open(dir, journal.Options{Damaged: true})
	if err != nil {
		return StateHealth{}, 0, forRepair(err)
	}
	health, lost, err = j.Repair()
	if closed := j.Close(); err == nil {
		err = closed
	}
	return health, lost, err
}

// CompactState makes a state directory as small as it can be.
func CompactState(dir string, config Config) error {
	made, err := config.forState()
	if err != nil {
		return err
	}
	return forState(instance.Compact(dir, made))
}

// DeleteState removes a state directory. Another folder is refused.
func DeleteState(dir string) error {
	j, err := journal.Open(dir, journal.Options{ReadOnly: true, Damaged: true})
	if err == nil {
		err = j.Close()
	} else if _, damaged := errors.AsType[*journal.DamagedError](err); damaged {
		err = nil
	}
	if err != nil {
		return forState(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing the state directory: %w", err)
	}
	return nil
}

// ReplayState runs again what the journal of a state directory tells, and compares it with what was recorded. It shows
// the call trees of the newest messages of users, as many as traces says.
func ReplayState(ctx context.Context, dir string, config Config, traces int) (Replayed, error) {
	made, err := config.forState()
	if err != nil {
		return Replayed{}, err
	}
	done, err := instance.Replay(ctx, dir, made, traces)
	return done, forState(err)
}

// stateError is an error of a state directory with another text than for a start.
type stateError struct {
	text string
	err  error
}

// Error is the text.
func (e *stateError) Error() string { return e.text }

// Unwrap is the error for a start.
func (e *stateError) Unwrap() error { return e.err }

// forState says of a directory that is in use what to do for work on the directory.
func forState(err error) error {
	if locked, ok := errors.AsType[*journal.LockedError](err); ok {
		return &stateError{locked.Reason(), err}
	}
	return err
}

// forRepair is forState for the commands that an error of a damaged directory names: it does not name them again.
func forRepair(err error) error {
	if damaged, ok := errors.AsType[*journal.DamagedError](err); ok {
		return &stateError{fmt.Sprintf("state directory %q is damaged: %s", damaged.Dir, damaged.Reason()), err}
	}
	return forState(err)
}

// forState is what work on a state directory needs of a configuration: the compiler of modules.
func (c Config) forState() (instance.Config, error) {
	c, err := c.withDefaults()
	if err != nil {
		return instance.Config{}, err
	}
	made := instance.Config{Log: c.Log, Wall: time.Now, CacheDir: c.CacheDir, Workers: c.workers}
	if len(c.CompileWorker) > 0 {
		made.Compiler = newCompileWorker(c.CompileWorker).compile
	}
	return made, nil
}
