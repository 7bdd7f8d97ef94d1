package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// warmed is a sample after the warm-up.
var warmed = sample{
	heap: 10 << 20, memory: 100 << 20, goroutines: 40, pooled: 8, descriptors: 20, storeFiles: 9,
	checkpoints: 3, files: 4 << 20, state: state{checkpoints: 3 << 20, historyCheckpoints: 1 << 20, historyRecords: 1 << 10}, disk: 5 << 20, answers: 10_000,
}

func TestGrowthOfEachResourceIsNamedFromOneAboveItsAllowanceOn(t *testing.T) {
	const mebi = 1 << 20
	for _, c := range []struct {
		what string
		most int64
		set  func(s *sample, n int64)
	}{
		{"bytes of the heap", (10 + 8) * mebi, func(s *sample, n int64) { s.heap = n }},
		{"bytes of memory", (100 + 64) * mebi, func(s *sample, n int64) { s.memory = n }},
		{"goroutines", 40, func(s *sample, n int64) { s.goroutines = int(n) }},
		{"goroutines in pools", 64, func(s *sample, n int64) { s.pooled = int(n) }},
		{"descriptors", 20, func(s *sample, n int64) { s.descriptors = int(n) }},
		{"open files of the store", 110, func(s *sample, n int64) { s.storeFiles = int(n) }},
		{"checkpoints", 64, func(s *sample, n int64) { s.checkpoints = int(n) }},
		{"bytes of the last two checkpoints", 40 * mebi, func(s *sample, n int64) { s.state.checkpoints, s.files = n, mebi+n }},
		{"bytes of checkpoints of the history", 4 * mebi, func(s *sample, n int64) { s.state.historyCheckpoints, s.files = n, 3*mebi+n }},
		{"bytes of records of the history", 1 * mebi, func(s *sample, n int64) { s.state.historyRecords = n }},
		{"bytes of files that no checkpoint needs", 0, func(s *sample, n int64) { s.files = 4*mebi + n }},
		// Two checkpoints and their history, twice the records of 0.75 MiB and their history, and the logs.
		{"bytes on disk", (40+4+2)*mebi + 2*768<<10 + 4*8*mebi, func(s *sample, n int64) { s.disk = n }},
	} {
		end := warmed
		c.set(&end, c.most)
		if failures := growth(&warmed, &end); failures != nil {
			t.Errorf("%s: %d of them are growth: %q", c.what, c.most, failures)
		}
		c.set(&end, c.most+1)
		named := fmt.Sprintf("%s: %d,", c.what, c.most+1)
		if failures := growth(&warmed, &end); len(failures) != 1 || !strings.HasPrefix(failures[0], named) {
			t.Errorf("%s: %d of them: %q", c.what, c.most+1, failures)
		}
	}
}

func TestAHundredAnswersMoreMayTake400KiB(t *testing.T) {
	const most = 8<<20 + 409_600
	end := warmed
	end.answers += 100
	end.heap, end.memory = warmed.heap+most, warmed.memory+56<<20+most
	if failures := growth(&warmed, &end); failures != nil {
		t.Errorf("answers that are kept are growth: %q", failures)
	}
	end.heap++
	end.memory++
	if failures := growth(&warmed, &end); len(failures) != 2 {
		t.Errorf("a byte of the heap and of the memory more: %q", failures)
	}
	end = warmed
	end.answers = 0
	if failures := growth(&warmed, &end); failures != nil {
		t.Errorf("fewer answers are growth: %q", failures)
	}
}

func TestGoroutinesOfPoolsAreCountedApart(t *testing.T) {
	const profile = "goroutine profile: total 10\n" +
		"6 @ 0x4918ae 0x41f22e\n#\t0x12aa74e\tgithub.com/cockroachdb/pebble/v2.releaseLoop+0x6e\tshard.go:61\n\n" +
		"2 @ 0x4918ae 0x41f22f\n#\t0xf5692b\tgithub.com/canisterd/canisterd/replica/driver.(*Pool).help+0x8b\tpool.go:88\n\n" +
		"1 @ 0x4997e1\n\n" +
		"1 @ 0x4918ae 0x41f230\n#\t0x459d54\truntime.main+0x2d4\tproc.go:290\n"
	if others, pooled, err := countGoroutines(profile); err != nil || others != 7 || pooled != 3 {
		t.Errorf("%d goroutines, and %d in pools: %v", others, pooled, err)
	}
	for _, bad := range []string{"", "goroutine profile: total 1\nx @ 0x1\n"} {
		if _, _, err := countGoroutines(bad); err == nil {
			t.Errorf("profile %q is read", bad)
		}
	}
}

func TestAnswersCountForSixMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l load
		for range 3 {
			l.noteAnswer()
		}
		time.Sleep(6 * time.Minute)
		l.noteAnswer()
		if got := l.answers(); got != 4 {
			t.Errorf("after six minutes %d answers count, want 4", got)
		}
		time.Sleep(time.Second)
		if got := l.answers(); got != 1 {
			t.Errorf("a second later %d answers count, want 1", got)
		}
		if l.noteAnswer(); len(l.answered) != 2 {
			t.Errorf("the answers of %d seconds are remembered, want 2", len(l.answered))
		}
	})
}

func TestAProcessIsQuietFourSecondsAfterItsLastChange(t *testing.T) {
	for _, c := range []struct {
		what string
		look func(s *sample, second int)
		took time.Duration
	}{
		{"nothing", func(*sample, int) {}, 4 * time.Second},
		{"files until second 7", func(s *sample, n int) { s.files = int64(min(n, 7)) }, 11 * time.Second},
		{"a state directory until second 7", func(s *sample, n int) { s.state.records = int64(min(n, 7)) }, 11 * time.Second},
		{"descriptors every 4 seconds until 9", func(s *sample, n int) { s.descriptors = min((n+3)/4, 3) }, 13 * time.Second},
		{"goroutines that come and go", func(s *sample, n int) { s.goroutines += n % 2 }, 4 * time.Second},
		{"goroutines that end in second 3", func(s *sample, n int) { s.goroutines -= n / 3 % 2 }, 7 * time.Second},
		{"descriptors without an end", func(s *sample, n int) { s.descriptors = n }, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			_, err := settled(t.Context(), func(context.Context) (sample, error) {
				now := warmed
				c.look(&now, int(time.Since(begun)/time.Second))
				return now, nil
			})
			if took := time.Since(begun); err != nil || took != c.took {
				t.Errorf("%s: the process is quiet after %s, want %s: %v", c.what, took, c.took, err)
			}
		})
	}
}

func TestAStateDirectoryIsReadFromTheMetrics(t *testing.T) {
	const metrics = "# TYPE canisterd_state_bytes gauge\n" +
		"canisterd_state_bytes{content=\"checkpoints\",instance=\"default\"} 1\n" +
		"canisterd_state_bytes{content=\"records\",instance=\"default\"} 2\n" +
		"canisterd_state_bytes{content=\"history_checkpoints\",instance=\"default\"} 3\n" +
		"canisterd_state_bytes{content=\"checkpoints\",instance=\"other\"} 5\n"
	const last = "canisterd_state_bytes{content=\"history_records\",instance=\"default\"} 4\n"
	want := state{checkpoints: 1, records: 2, historyCheckpoints: 3, historyRecords: 4}
	if got, err := stateOf(metrics + last); err != nil || got != want {
		t.Errorf("the state directory takes %+v: %v", got, err)
	}
	for _, bad := range []string{metrics, "", "{"} {
		if got, err := stateOf(bad); err == nil {
			t.Errorf("metrics %q say %+v", bad, got)
		}
	}
}
