package instance

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestARequestRuns100000RoundsAtMost(t *testing.T) {
	r := NewRegistry(Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now})
	t.Cleanup(func() { _ = r.Close() })
	i, err := r.Create(t.Context(), &Spec{Pacing: Pacing{Mode: Manual}})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := i.RunRounds(over, 100_000); !errors.Is(err, context.Canceled) {
		t.Errorf("100,000 rounds of a client that has gone: %v", err)
	}
	if _, refused := errors.AsType[*Refusal](second(i.RunRounds(over, 100_001))); !refused {
		t.Error("100,001 rounds are not refused")
	}
}

func second(_ Ran, err error) error { return err }

func TestARunWithoutALimitEndsAfterAMillionRounds(t *testing.T) {
	r := NewRegistry(Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now})
	t.Cleanup(func() { _ = r.Close() })
	i, err := r.Create(t.Context(), &Spec{Pacing: Pacing{Mode: Manual}})
	if err != nil {
		t.Fatal(err)
	}
	always := Condition{met: func(*run, *replica.Network) driver.Next { return driver.Go }}
	got, err := driver.Ask(t.Context(), i.driver, func(n *replica.Network) (rounds uint64) {
		r := i.newRun(always, 0)
		for r.next(n) == driver.Go {
		}
		return r.rounds
	})
	if err != nil || got != 1_000_000 {
		t.Errorf("it ends after %d rounds, %v", got, err)
	}
}

// newKeeper returns the keeper of a new state directory.
func newKeeper(t *testing.T) *persister {
	t.Helper()
	r := NewRegistry(Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Journal: journal.Options{FS: vfs.NewMem()}})
	t.Cleanup(func() { _ = r.Close() })
	k, _, err := r.openKept("/state")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

func TestACheckpointIsDueFiveMinutesAfterTheFirstRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		k.Record([]byte{1}, false)
		for _, c := range []struct {
			wait time.Duration
			due  int
		}{{299 * time.Second, 0}, {2 * time.Second, 1}} {
			time.Sleep(c.wait)
			if synctest.Wait(); len(k.due) != c.due {
				t.Errorf("%s later %d checkpoints are due, want %d", c.wait, len(k.due), c.due)
			}
		}
	})
}

func TestACheckpointIsDueAfter100000RecordsOr64MiBOfThem(t *testing.T) {
	k := newKeeper(t)
	for _, c := range []struct {
		records, bytes int64 // so far
		due            bool
	}{{99_998, 0, false}, {99_999, 0, true}, {0, 67_108_862, false}, {0, 67_108_863, true}} {
		k.resetCounts()
		k.records.Store(c.records)
		k.bytes.Store(c.bytes)
		k.Record([]byte{1}, true)
		due := false
		select {
		case <-k.due:
			due = true
		default:
		}
		if due != c.due {
			t.Errorf("with a record after %d of %d bytes a checkpoint is due: %t, want %t", c.records, c.bytes, due, c.due)
		}
	}
}

// held is an instance that holds what clients send, and a call by which a system canister is made.
func held(t *testing.T) (*Instance, *systemcanisters.Call) {
	t.Helper()
	r := NewRegistry(Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now})
	t.Cleanup(func() { _ = r.Close() })
	i, err := r.Create(t.Context(), &Spec{Pacing: Pacing{Mode: Manual}})
	if err != nil {
		t.Fatal(err)
	}
	hold := replica.Rule{Match: replica.Match{Kind: replica.KindIngress}, Action: replica.Action{Kind: replica.ActHold}}
	if result, err := i.driver.Apply(t.Context(), &replica.AddRule{Rule: hold}); err != nil || result.Refusal != nil {
		t.Fatal(err, result.Refusal)
	}
	return i, &systemcanisters.Call{
		Sender: principal.Anonymous, Receiver: principal.Management, Effective: i.driver.View().Subnets[0].Ranges[0].End,
		Method: "provisional_create_canister_with_cycles", Arg: []byte("DIDL\x01\x6c\x00\x01\x00"),
	}
}

func TestACallThatInstallsASystemCanisterRuns1000RoundsAtMost(t *testing.T) {
	i, call := held(t)
	before := i.driver.View().Height
	_, err := installation{i.driver}.Call(t.Context(), call)
	if err == nil || !strings.HasSuffix(err.Error(), "has no answer after 1000 rounds") {
		t.Errorf("a call that is not answered: %v", err)
	}
	if rounds := i.driver.View().Height - before; rounds != 1000 {
		t.Errorf("the network ran %d rounds, want 1000", rounds)
	}
}

func TestACallThatInstallsASystemCanisterWaitsForAMinute(t *testing.T) {
	i, call := held(t)
	begun := i.driver.View().Time
	_, _ = installation{i.driver}.Call(t.Context(), call) // it is held
	for _, c := range []struct {
		after uint64
		waits int
	}{{59_999_999_999, 1}, {60_000_000_000, 0}} {
		if err := i.SetTime(t.Context(), begun+c.after); err != nil {
			t.Fatal(err)
		}
		if _, err := i.RunRounds(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		waits, err := driver.Ask(t.Context(), i.driver, func(n *replica.Network) int { return len(n.Introspect().Held(0, 0, 10)) })
		if err != nil || waits != c.waits {
			t.Errorf("after %d ns %d calls wait, want %d: %v", c.after, waits, c.waits, err)
		}
	}
}

func TestARootIsComputedForTheJournalAfter32RecordsAtMost(t *testing.T) {
	const before = 1000
	if !timeForRoot(before, before+32) || timeForRoot(before, before+33) {
		t.Errorf("after 32 records there is a root: %t; after 33: %t", timeForRoot(before, before+32), timeForRoot(before, before+33))
	}
}
