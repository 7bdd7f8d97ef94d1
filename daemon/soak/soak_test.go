package main

import (
	"slices"
	"testing"
)

func TestGrowthOfEachResourceIsNamed(t *testing.T) {
	warm := sample{heap: 10 << 20, memory: 100 << 20, goroutines: 40, descriptors: 20, storeFiles: 9, checkpoints: 2, checkpoint: 1 << 20, disk: 5 << 20, answers: 10_000}
	if failures := growth(&warm, &warm); failures != nil {
		t.Errorf("a process that stays as it is has grown: %q", failures)
	}
	for _, c := range []struct {
		what string
		more func(*sample)
	}{
		{"bytes of the heap", func(s *sample) { s.heap += heapSlack + 1 }},
		{"bytes of memory", func(s *sample) { s.memory += memorySlack + 1 }},
		{"goroutines", func(s *sample) { s.goroutines++ }},
		{"goroutines in pools", func(s *sample) { s.pooled = maxPooled + 1 }},
		{"descriptors", func(s *sample) { s.descriptors++ }},
		{"open files of the store", func(s *sample) { s.storeFiles = storeFiles + 1 }},
		{"checkpoints", func(s *sample) { s.checkpoints = maxCheckpoints + 1 }},
		{"bytes of page files", func(s *sample) { s.pages = 2*s.pages + historyCheckpointBytes + pagesSlack + 1 }},
		{"bytes on disk", func(s *sample) { s.disk = 2*s.checkpoint + historyCheckpointBytes + storeBytes + 1 }},
	} {
		end := warm
		c.more(&end)
		failures := growth(&warm, &end)
		named := slices.ContainsFunc(failures, func(f string) bool { return len(f) > len(c.what) && f[:len(c.what)] == c.what })
		if len(failures) != 1 || !named {
			t.Errorf("%s: %q", c.what, failures)
		}
	}
	end := warm
	end.answers += 100
	end.heap += heapSlack + 100*answerBytes
	if failures := growth(&warm, &end); failures != nil {
		t.Errorf("answers that are kept are growth: %q", failures)
	}
}

func TestGoroutinesOfPoolsAreCountedApart(t *testing.T) {
	const profile = "goroutine profile: total 9\n" +
		"6 @ 0x4918ae 0x41f22e\n#\t0x12aa74e\tgithub.com/cockroachdb/pebble/v2.releaseLoop+0x6e\tshard.go:61\n\n" +
		"2 @ 0x4918ae 0x41f22f\n#\t0xf5692b\tgithub.com/canisterd/canisterd/replica/node.(*Pool).help+0x8b\tpool.go:88\n\n" +
		"1 @ 0x4918ae 0x41f230\n#\t0x459d54\truntime.main+0x2d4\tproc.go:290\n"
	if others, pooled, err := countGoroutines(profile); err != nil || others != 7 || pooled != 2 {
		t.Errorf("%d goroutines, and %d in pools: %v", others, pooled, err)
	}
	for _, bad := range []string{"", "goroutine profile: total 1\nx @ 0x1\n"} {
		if _, _, err := countGoroutines(bad); err == nil {
			t.Errorf("profile %q is read", bad)
		}
	}
}

func TestAnswersAreForgottenAfterAWhile(t *testing.T) {
	l := &load{answered: []answered{{second: 1, count: 500}}}
	for range 3 {
		l.noteAnswer()
	}
	if got := l.answers(); got != 3 || l.answered[0].second == 1 {
		t.Errorf("%d answers are kept, and the oldest second is %d", got, l.answered[0].second)
	}
}
