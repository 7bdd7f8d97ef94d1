package instance_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/test/canistertest"
)

// offline ends the instance, and returns the configuration for work on its directory.
func (c *crashing) offline() instance.Config {
	c.t.Helper()
	if err := c.registry.Close(); err != nil {
		c.t.Fatal(err)
	}
	return instance.Config{CacheDir: canistertest.CacheDir(c.t), Wall: time.Now, Engine: c.engine, Journal: journal.Options{FS: c.fs, MemTableBytes: smallTable}}
}

func TestAReplayComesToTheStatesOfAllCheckpoints(t *testing.T) {
	c := newCrashing(t)
	id := c.deploy()
	before := c.hash()
	for range 3 {
		c.offline()
		c.open(instance.Spec{})
		c.count(id)
		before = c.hash()
	}
	config := c.offline()
	done, err := instance.Replay(t.Context(), "/state", config, instance.Traces{})
	if err != nil || done.Checkpoints != 1 || done.StateHash != before || done.Inputs == 0 || done.Rounds == 0 {
		t.Errorf("the replay comes to %+v, and the state was %x: %v", done, before, err)
	}
	if err := instance.Compact("/state", config); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open("/state", config.Journal)
	if err != nil {
		t.Fatal(err)
	}
	if all := j.Checkpoints(); len(all) != 1 || all[0].Position != j.Position() {
		t.Errorf("after compacting, the checkpoints are %+v of %d records", all, j.Position())
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	c.open(instance.Spec{})
	if c.hash() != before {
		t.Error("the state is another after compacting")
	}
}

// TestAReplayOfAnotherHistoryIsRefused appends a record a second time.
func TestAReplayOfAnotherHistoryIsRefused(t *testing.T) {
	c := newCrashing(t)
	c.deploy()
	config := c.offline()
	j, err := journal.Open("/state", config.Journal)
	if err != nil {
		t.Fatal(err)
	}
	var rounds [][]byte
	if err := j.Records(0, func(_ uint64, record []byte) error {
		rounds = append(rounds, append([]byte(nil), record...))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	j.Append(rounds[len(rounds)-1], false)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := instance.Replay(t.Context(), "/state", config, instance.Traces{}); err == nil {
		t.Error("a round that happened once was replayed twice")
	}
	c.registry = instance.NewRegistry(config)
	var refused *instance.Refusal
	if _, err := c.registry.Create(t.Context(), &instance.Spec{Journal: "/state"}); !errors.As(err, &refused) {
		t.Errorf("the start says: %v", err)
	}
}

func TestAReplayComparesCertifiedRootsOfRoundsThatNoClientHasACertificateOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrashing(t)
		id := c.deploy()
		for range 5 {
			c.count(id)
			time.Sleep(2 * instance.RootInterval)
		}
		config := c.offline()
		done, err := instance.Replay(t.Context(), "/state", config, instance.Traces{})
		if err != nil || done.Roots == 0 {
			t.Errorf("%d roots of %d rounds are compared: %v", done.Roots, done.Rounds, err)
		}
		t.Logf("%d roots of %d rounds", done.Roots, done.Rounds)
	})
}
