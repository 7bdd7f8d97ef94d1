package driver

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/canisterd/canisterd/replica"
)

// slowDisk is a journal whose records are on disk when it is told so.
type slowDisk struct {
	records atomic.Int64
	written chan error
}

func (d *slowDisk) Record([]byte, bool) { d.records.Add(1) }

func (d *slowDisk) Position() uint64 { return uint64(d.records.Load()) }

func (d *slowDisk) Sync(ctx context.Context, _ uint64) error {
	select {
	case err := <-d.written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *slowDisk) Rebase(*replica.Network) error { return nil }

// journalled is a driver with a journal.
func journalled(t *testing.T) (*Driver, *slowDisk) {
	disk := &slowDisk{written: make(chan error)}
	d, err := Start(Config{Network: replica.Config{Subnets: []replica.SubnetConfig{{}}}, Mode: Manual, Workers: 1, Journal: disk})
	if err != nil {
		t.Fatal(err)
	}
	return d, disk
}

func TestACallerLearnsOnlyWhatIsOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, disk := journalled(t)
		told := make(chan error, 1)
		go func() {
			_, err := d.Round(t.Context())
			told <- err
		}()
		synctest.Wait()
		if disk.records.Load() != 1 || d.View().Height != 1 {
			t.Errorf("%d records and height %d while the disk is slow", disk.records.Load(), d.View().Height)
		}
		select {
		case err := <-told:
			t.Errorf("a caller was told before the record of its round was on disk: %v", err)
		default:
		}
		disk.written <- nil
		if err := <-told; err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestManyRoundsOfADriverWaitForTheDiskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, disk := journalled(t)
		left, told := 100, make(chan error, 1)
		go func() {
			_, err := d.RunRounds(t.Context(), func(*replica.Network) Next {
				if left--; left < 0 {
					return Stop
				}
				return Go
			})
			told <- err
		}()
		synctest.Wait()
		if disk.records.Load() != 100 {
			t.Errorf("%d records of 100 rounds while the disk is slow", disk.records.Load())
		}
		disk.written <- nil
		if err := <-told; err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAClockThatNoCallerReliesOnLeavesNoRecord(t *testing.T) {
	d, disk := journalled(t)
	close(disk.written)
	if err := d.AdvanceClock(t.Context(), func() (uint64, bool) { return 1_000_000_000, true }); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Tick(t.Context(), func() uint64 { return 2_000_000_000 }, false); err != nil {
		t.Fatal(err)
	}
	if got := disk.records.Load(); got != 0 {
		t.Errorf("%d records of a clock", got)
	}
	if err := d.AdvanceTo(t.Context(), 3_000_000_000); err != nil {
		t.Fatal(err)
	}
	if got := disk.records.Load(); got != 1 {
		t.Errorf("%d records of a time that a client has set, want 1", got)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestANodeWhoseJournalFailsStops(t *testing.T) {
	d, disk := journalled(t)
	full := errors.New("the disk is full")
	disk.written = make(chan error, 1)
	disk.written <- full
	if _, err := d.Round(t.Context()); !errors.Is(err, full) || !errors.Is(err, ErrClosed) {
		t.Errorf("a round that cannot be kept: %v", err)
	}
	if _, err := d.Round(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("a round after that: %v", err)
	}
	if err := d.Close(); !errors.Is(err, full) {
		t.Errorf("closing the driver: %v", err)
	}
}
