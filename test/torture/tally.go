package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// tally counts acknowledged and lost updates.
type tally struct {
	counted      []uint64 // last count that the client of each canister knows
	acknowledged int
	lost         int
}

// addReply records the reply of a canister to an update: its count must have increased, by more than one if a reply was
// lost with a killed process. The error reports an incomplete update.
func (t *tally) addReply(at int, reply []byte) error {
	now, err := countOf(reply)
	if err != nil {
		return fmt.Errorf("canister %d: %w", at, err)
	}
	if before := t.counted[at]; now <= before {
		t.lost += int(before - now + 1)
	}
	t.counted[at] = now
	t.acknowledged++
	return nil
}

// addQuery records the count of a canister in the reply to a query.
func (t *tally) addQuery(at int, reply []byte) error {
	now, err := countOf(reply)
	if err != nil {
		return fmt.Errorf("canister %d: %w", at, err)
	}
	if before := t.counted[at]; now < before {
		t.lost += int(before - now)
	}
	t.counted[at] = now
	return nil
}

// countOf returns the count in the reply of a canister.
func countOf(reply []byte) (uint64, error) {
	if len(reply) != 16 {
		return 0, fmt.Errorf("an answer of %d bytes", len(reply))
	}
	heap, stable := binary.LittleEndian.Uint64(reply), binary.LittleEndian.Uint64(reply[8:])
	if heap != stable {
		return 0, fmt.Errorf("it has counted to %d in its heap, and to %d in its stable memory: an update was done in part", heap, stable)
	}
	return heap, nil
}

// workKinds are the kinds of work that an end can hit.
var workKinds = []string{"checkpoint", "compaction", "install", "fork"}

// work tracks what a daemon is doing, and counts how many ends hit each kind of work.
type work struct {
	mu   sync.Mutex     // guards the fields below
	open map[string]int // running work by kind
	hits map[string]int // ends by kind
}

// begin records the start of some work. The caller calls end at its end.
func (w *work) begin(kind string) (end func()) {
	w.add(kind, 1)
	return func() { w.add(kind, -1) }
}

func (w *work) add(kind string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = make(map[string]int)
	}
	w.open[kind] += n
}

// logged updates the running work from a log message of a daemon.
func (w *work) logged(message string) {
	for text, kind := range map[string]string{
		"a checkpoint": "checkpoint", "a flush of the store": "compaction", "a compaction of the store": "compaction",
	} {
		switch {
		case strings.Contains(message, text+" begins"):
			w.add(kind, 1)
		case strings.Contains(message, text+" ends"):
			w.add(kind, -1)
		}
	}
}

// targetOf returns the kind of work that the end of a life waits for, "" for none. Most random ends would hit none.
func targetOf(life int) string {
	if kind := life % (len(workKinds) + 1); kind < len(workKinds) {
		return workKinds[kind]
	}
	return ""
}

// isIn reports whether work of a kind is running.
func (w *work) isIn(kind string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open[kind] > 0
}

// checkCoverage returns an error if there were many ends and none of them hit some kind of work.
func (w *work) checkCoverage(ends int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, kind := range workKinds {
		if ends >= minEnds && w.hits[kind] == 0 {
			return fmt.Errorf("none of %d ends hit a %s: the run shows nothing about it", ends, kind)
		}
	}
	return nil
}

// minEnds is the number of ends from which each kind of work must have been hit.
const minEnds = 100

// reset clears the running work.
func (w *work) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = nil
}

// end counts an end for each of the kinds that is running.
func (w *work) end(kinds ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count(kinds)
}

// count counts an end. Needs mu.
func (w *work) count(kinds []string) {
	if w.hits == nil {
		w.hits = make(map[string]int)
	}
	for _, kind := range kinds {
		if w.open[kind] > 0 {
			w.hits[kind]++
		}
	}
}

// endIn counts an end for each of the kinds that is running, if the target is; "" always is.
func (w *work) endIn(target string, kinds ...string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if target != "" && w.open[target] == 0 {
		return false
	}
	w.count(kinds)
	return true
}

// String lists the ends by kind.
func (w *work) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	parts := make([]string, len(workKinds))
	for at, kind := range slices.All(workKinds) {
		parts[at] = fmt.Sprintf("%s: %d", kind, w.hits[kind])
	}
	return strings.Join(parts, ", ")
}

// Enabled implements slog.Handler.
func (w *work) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (w *work) Handle(_ context.Context, r slog.Record) error {
	w.logged(r.Message)
	return nil
}

// WithAttrs implements slog.Handler.
func (w *work) WithAttrs([]slog.Attr) slog.Handler { return w }

// WithGroup implements slog.Handler.
func (w *work) WithGroup(string) slog.Handler { return w }
