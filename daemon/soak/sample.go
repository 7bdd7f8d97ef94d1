package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/canisterd/canisterd/daemon/resources"
)

// sample is what a process takes while it has nothing to do.
type sample struct {
	heap        int64  // bytes of the Go heap that are in use after a collection
	memory      int64  // bytes of the machine, those of canisters among them
	goroutines  int    // beside the pooled ones
	pooled      int    // goroutines that wait in a pool for work (pools)
	stacks      string // of all goroutines
	descriptors int    // open files outside the state directory, and connections
	storeFiles  int    // open files of the state directory
	checkpoints int    // files
	checkpoint  int64  // bytes of the largest
	pages       int64  // bytes of page files
	disk        int64  // bytes of the state directory
	answers     int64  // updates that were answered within answersKept
}

// String is the sample for people.
func (s sample) String() string {
	return fmt.Sprintf("heap %.1f MiB, memory %.1f MiB, %d goroutines and %d in pools, %d descriptors and %d of the store, %d checkpoints of at most %.1f MiB, %.1f MiB of pages, %.1f MiB on disk, %d answers kept",
		mebibytes(s.heap), mebibytes(s.memory), s.goroutines, s.pooled, s.descriptors, s.storeFiles, s.checkpoints, mebibytes(s.checkpoint), mebibytes(s.pages), mebibytes(s.disk), s.answers)
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

// measure waits until the process is quiet, and measures it.
func (p *process) measure(ctx context.Context) (sample, error) {
	return settled(ctx, func(ctx context.Context) (sample, error) {
		now, err := p.look(ctx)
		return now, p.explain(err)
	})
}

// settled looks at a process every second until it is quiet. It counts the fewest goroutines that it sees: some of them
// come and go with the profile itself, and with the canister's timer.
func settled(ctx context.Context, look func(context.Context) (sample, error)) (last sample, err error) {
	begun := time.Now()
	changed := begun
	for {
		now, err := look(ctx)
		if err != nil {
			return now, err
		}
		if last.goroutines > 0 {
			now.goroutines = min(now.goroutines, last.goroutines)
		}
		if now.goroutines != last.goroutines || now.descriptors != last.descriptors || now.checkpoints != last.checkpoints {
			changed = time.Now()
		}
		last = now
		if time.Since(changed) >= quietAfter || time.Since(begun) >= quietLatest {
			return last, nil
		}
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// look measures the process as it is.
func (p *process) look(ctx context.Context) (s sample, err error) {
	heap, err := p.profile(ctx, "heap?gc=1&debug=1")
	if err == nil {
		s.heap, err = number(heap, "# HeapAlloc = ")
	}
	if err == nil {
		s.stacks, err = p.profile(ctx, "goroutine?debug=1")
	}
	if err != nil {
		return s, err
	}
	if s.goroutines, s.pooled, err = countGoroutines(s.stacks); err != nil {
		return s, err
	}
	pid := p.cmd.Process.Pid
	s.memory = resources.Memory(pid)
	if s.storeFiles, s.descriptors, err = resources.Descriptors(pid, p.state); err != nil {
		return s, err
	}
	if s.disk, err = resources.Disk(p.state); err != nil {
		return s, err
	}
	err = p.eachFile("checkpoint-*", func(bytes int64) {
		s.checkpoints++
		s.checkpoint = max(s.checkpoint, bytes)
	})
	return s, errors.Join(err, p.eachFile("pages-*", func(bytes int64) { s.pages += bytes }))
}

// eachFile gives the sizes of some files of the state directory.
func (p *process) eachFile(pattern string, visit func(bytes int64)) error {
	files, err := filepath.Glob(filepath.Join(p.state, pattern))
	if err != nil {
		return err
	}
	for _, file := range files {
		bytes, err := resources.Disk(file)
		if err != nil {
			return err
		}
		visit(bytes)
	}
	return nil
}

// profile is a profile of the process, as text.
func (p *process) profile(ctx context.Context, name string) (text string, err error) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", p.socket)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://canisterd/debug/pprof/"+name, http.NoBody)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("asking for profile %s: %w", name, err)
	}
	read, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return "", fmt.Errorf("reading profile %s: %w", name, err)
	}
	return string(read), nil
}

// number is the number after a word at the beginning of a line.
func number(text, word string) (n int64, err error) {
	_, rest, found := strings.Cut("\n"+text, "\n"+word)
	if !found {
		return 0, fmt.Errorf("a profile has no line %q", word)
	}
	digits, _, _ := strings.Cut(rest, "\n")
	if n, err = strconv.ParseInt(digits, 10, 64); err != nil {
		return 0, fmt.Errorf("line %q of a profile: %w", word, err)
	}
	return n, nil
}

// pools are functions of goroutines whose number depends on the moment: those that wait in a pool, which has a limit of its
// own, and the one that reads from the connection that asks for the profile.
var pools = []string{"replica/node.(*Pool).help", "replica.(*coroutine).run", "net/http.(*connReader)"}

// countGoroutines counts the goroutines of a profile. Its paragraphs are stacks, each after the number of the goroutines
// that have it: "6 @ 0x4918ae 0x41f22e".
func countGoroutines(stacks string) (others, pooled int, err error) {
	total, err := number(stacks, "goroutine profile: total ")
	if err != nil {
		return 0, 0, err
	}
	_, stacks, _ = strings.Cut(stacks, "\n")
	for stack := range strings.SplitSeq(stacks, "\n\n") {
		count, _, found := strings.Cut(stack, " @ ")
		if !found {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(count))
		if err != nil {
			return 0, 0, fmt.Errorf("a stack of a profile: %w", err)
		}
		if slices.ContainsFunc(pools, func(function string) bool { return strings.Contains(stack, function) }) {
			pooled += n
		}
	}
	return int(total) - pooled, pooled, nil
}

// growth is what a process has more at the end than after the warm-up, where that is too much.
func growth(warm, end *sample) (failures []string) {
	fail := func(what string, before, now, limit int64) {
		if now > limit {
			failures = append(failures, fmt.Sprintf("%s: %d, and %d after the warm-up; the limit is %d", what, now, before, limit))
		}
	}
	answers := max(0, end.answers-warm.answers) * answerBytes
	fail("bytes of the heap", warm.heap, end.heap, warm.heap+heapSlack+answers)
	fail("bytes of memory", warm.memory, end.memory, warm.memory+memorySlack+answers)
	fail("goroutines", int64(warm.goroutines), int64(end.goroutines), int64(warm.goroutines))
	if end.goroutines > warm.goroutines {
		failures[len(failures)-1] += "; these are\n" + end.stacks
	}
	fail("goroutines in pools", int64(warm.pooled), int64(end.pooled), maxPooled)
	fail("descriptors", int64(warm.descriptors), int64(end.descriptors), int64(warm.descriptors))
	fail("open files of the store", int64(warm.storeFiles), int64(end.storeFiles), storeFiles)
	fail("checkpoints", int64(warm.checkpoints), int64(end.checkpoints), maxCheckpoints)
	fail("bytes of page files", warm.pages, end.pages, 2*warm.pages+historyCheckpointBytes+pagesSlack)
	fail("bytes on disk", warm.disk, end.disk, 2*end.checkpoint+historyCheckpointBytes+end.pages+storeBytes)
	return failures
}
