package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/canisterd/canisterd/test/resources"
)

// sample is the resource usage of an idle process.
type sample struct {
	heap        int64  // bytes of the Go heap that are in use after a collection
	memory      int64  // bytes of memory, canisters included
	goroutines  int    // without the pooled ones
	pooled      int    // goroutines that wait in a pool for work (pools)
	stacks      string // of all goroutines
	descriptors int    // open files outside the state directory, and connections
	storeFiles  int    // open files of the state directory
	checkpoints int    // files
	files       int64  // bytes of checkpoints and their page files
	state       state  // reported by the daemon
	disk        int64  // bytes of the state directory
	answers     int64  // updates that were answered within answersKept
}

// String formats the sample for output.
func (s sample) String() string {
	return fmt.Sprintf("heap %.1f MiB, memory %.1f MiB, %d goroutines and %d in pools, %d descriptors and %d of the store, %d checkpoints of %.1f MiB, those of the history %.1f MiB with %.1f MiB of records, %.1f MiB on disk, %d answers kept",
		mebibytes(s.heap), mebibytes(s.memory), s.goroutines, s.pooled, s.descriptors, s.storeFiles, s.checkpoints, mebibytes(s.files),
		mebibytes(s.state.historyCheckpoints), mebibytes(s.state.historyRecords), mebibytes(s.disk), s.answers)
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

// measure samples the process once it is quiet.
func (p *process) measure(ctx context.Context) (sample, error) {
	return settled(ctx, func(ctx context.Context) (sample, error) {
		now, err := p.look(ctx)
		return now, p.explain(err)
	})
}

// settled samples a process every second until it is quiet. It keeps the lowest number of goroutines, because some come
// and go with the profile itself and with the canister's timer.
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
		if now.goroutines != last.goroutines || now.descriptors != last.descriptors || now.files != last.files || now.state != last.state {
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

// look samples the process now.
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
	if s.state, err = p.stateBytes(ctx); err != nil {
		return s, err
	}
	s.checkpoints, s.files, err = p.checkpointFiles()
	return s, err
}

// checkpointFiles returns the number of checkpoints in the state directory of the default instance, and the bytes of
// their files. Files that are removed during the call do not count.
func (p *process) checkpointFiles() (checkpoints int, bytes int64, err error) {
	all, err := os.ReadDir(p.state)
	if err != nil {
		return 0, 0, err
	}
	for _, file := range all {
		checkpoint := strings.HasPrefix(file.Name(), "checkpoint-")
		if !checkpoint && !strings.HasPrefix(file.Name(), "pages-") {
			continue
		}
		info, err := file.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		if checkpoint {
			checkpoints++
		}
		bytes += info.Size()
	}
	return checkpoints, bytes, nil
}

// profile returns a profile of the process as text.
func (p *process) profile(ctx context.Context, name string) (text string, err error) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", p.socket)
	}
	if text, err = get(ctx, &http.Transport{DialContext: dial}, "http://canisterd/debug/pprof/"+name); err != nil {
		return "", fmt.Errorf("reading profile %s: %w", name, err)
	}
	return text, nil
}

// get returns the body of the answer to a GET request, and closes the connection.
func get(ctx context.Context, transport *http.Transport, url string) (body string, err error) {
	transport.DisableKeepAlives = true
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return "", err
	}
	read, err := io.ReadAll(answer.Body)
	return string(read), errors.Join(err, answer.Body.Close())
}

// number returns the number after a word at the beginning of a line.
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

// pools lists functions of goroutines whose number fluctuates: those that wait in a pool, which has its own limit, and
// the reader of the connection of the profile.
var pools = []string{"replica/driver.(*Pool).help", "replica.(*coroutine).run", "net/http.(*connReader)"}

// countGoroutines counts the goroutines of a profile. Each paragraph is a stack after the number of goroutines with it:
// "6 @ 0x4918ae 0x41f22e".
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
		starting := !strings.Contains(stack, "#\t") // no function yet, such as the reader of this connection
		if starting || slices.ContainsFunc(pools, func(function string) bool { return strings.Contains(stack, function) }) {
			pooled += n
		}
	}
	return int(total) - pooled, pooled, nil
}

// growth returns a text for each resource that is over its limit at the end.
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
	current, history := end.state.checkpoints, end.state.historyCheckpoints
	fail("bytes of the last two checkpoints", warm.state.checkpoints, current, checkpointsBytes)
	fail("bytes of checkpoints of the history", warm.state.historyCheckpoints, history, historyCheckpointBytes)
	fail("bytes of records of the history", warm.state.historyRecords, end.state.historyRecords, historyRecordBytes)
	fail("bytes of files that no checkpoint needs", warm.files-warm.state.checkpoints-warm.state.historyCheckpoints, end.files-current-history, 0)
	fail("bytes on disk", warm.disk, end.disk, checkpointsBytes+historyCheckpointBytes+storeBytes)
	return failures
}
