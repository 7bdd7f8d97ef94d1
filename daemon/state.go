package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
)

// Types of the functions for state directories. No daemon may have the directory open.
type (
	// StateHealth describes the content of a state directory, and its damage.
	StateHealth = instance.Health
	// Replayed is the result of a replay.
	Replayed = instance.Replayed
	// Ancestor is a network that another one continues, from a height on.
	Ancestor = instance.Ancestor
	// Traces says which call trees a replay returns, and how they are written.
	Traces = instance.Traces
	// Retention limits the history of instances that are kept.
	Retention = journal.Retention
)

// DefaultRetention returns the limits of the history that canisterd start keeps.
func DefaultRetention() Retention { return journal.DefaultRetention() }

// InstanceStateDir returns the state directory of an instance inside the one of a daemon.
func InstanceStateDir(stateDir, name string) string { return instance.KeptIn(stateDir, name) }

// LogFile is the name of the log that a state directory may have.
const LogFile = journal.LogFile

// DefaultInstance is the name of the instance that a state directory itself is of.
const DefaultInstance = instance.Default

// KeptInstances returns the names of the other instances in the state directory of a daemon.
func KeptInstances(stateDir string) ([]string, error) { return instance.KeptNames(stateDir) }

// StateInUse reports whether an error says that another process has a state directory open.
func StateInUse(err error) bool {
	_, locked := errors.AsType[*journal.LockedError](err)
	return locked
}

// CheckState reads everything in a state directory, and changes nothing. It returns an error if the directory cannot
// be read; damage is in the result.
func CheckState(dir string) (StateHealth, error) {
	h, err := instance.Check(dir, journal.Options{})
	return h, forRepair(err)
}

// RepairState repairs a damaged state directory, so that a daemon can continue from it, and removes damaged snapshots.
// lost is the number of the first record that was removed, or the end of the records if none was.
func RepairState(dir string) (health StateHealth, lost uint64, err error) {
	health, lost, err = instance.Repair(dir, journal.Options{})
	return health, lost, forRepair(err)
}

// CompactState reduces a state directory to one checkpoint without records.
func CompactState(dir string, config Config) error {
	made, err := config.forState()
	if err != nil {
		return err
	}
	return forState(instance.Compact(dir, made))
}

// DeleteState removes a state directory. It refuses any other folder.
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

// ReplayState replays the journal of a state directory, and compares the results with the records. It returns the call
// trees of the newest messages of users, at most traces of them.
func ReplayState(ctx context.Context, dir string, config Config, traces Traces) (Replayed, error) {
	made, err := config.forState()
	if err != nil {
		return Replayed{}, err
	}
	done, err := instance.Replay(ctx, dir, made, traces)
	return done, forState(err)
}

// stateError replaces the text of an error that advises about a start.
type stateError struct {
	text string
	err  error
}

// Error returns the text.
func (e *stateError) Error() string { return e.text }

// Unwrap returns the replaced error.
func (e *stateError) Unwrap() error { return e.err }

// forState replaces the text about a directory that is in use, whose advice is about a start.
func forState(err error) error {
	if locked, ok := errors.AsType[*journal.LockedError](err); ok {
		return &stateError{locked.Reason(), err}
	}
	return err
}

// forRepair is forState for the commands that the error of a damaged directory recommends: its text does not name them.
func forRepair(err error) error {
	if damaged, ok := errors.AsType[*journal.DamagedError](err); ok {
		return &stateError{fmt.Sprintf("state directory %q is damaged: %s", damaged.Dir, damaged.Reason()), err}
	}
	return forState(err)
}

// forState returns the part of a configuration that work on a state directory needs: the compiler of modules.
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
