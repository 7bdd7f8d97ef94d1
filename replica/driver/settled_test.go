package driver

import (
	"testing"
	"testing/synctest"
)

// The driver is asked for views while its network is ahead of the disk.
func TestAViewShowsWhatCallersWereToldAndNothingThatACrashUndoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, disk := journalled(t)
		settled := func(want uint64, oldest uint64) {
			t.Helper()
			view, err := d.SettledView(t.Context(), oldest)
			if err != nil || view.Height != want {
				t.Errorf("the view has height %d, want %d: %v", view.Height, want, err)
			}
		}
		later := func() { go func() { disk.written <- nil }() }
		later()
		settled(0, 0)
		told := make(chan error, 1)
		go func() {
			_, err := d.Round(t.Context())
			told <- err
		}()
		synctest.Wait()
		settled(0, 0) // at once: no caller was told of the round
		if d.View().Height != 1 {
			t.Errorf("the newest view has height %d", d.View().Height)
		}
		disk.written <- nil
		if err := <-told; err != nil {
			t.Error(err)
		}
		later()
		settled(1, 0)
		settled(1, 0)
		go func() { _, err := d.Round(t.Context()); told <- err }()
		synctest.Wait()
		later()
		later() // also for the round
		settled(2, d.View().Time)
		if err := <-told; err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}
