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

// tally is what clients were told, and what is lost of it.
type tally struct {
	counted      []uint64 // by each canister, as its client was told last
	acknowledged int
	lost         int
}

// told notes the answer of a canister: it has counted on from what its client was told before, or further, where the
// answer to an update was lost with the process that made it. The error says that an update was done in part.
func (t *tally) told(at int, reply []byte) error {
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

// found notes what a canister has counted to, as a query says.
func (t *tally) found(at int, reply []byte) error {
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

// countOf is the number in the answer of a canister.
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

// The kinds of work that an end can fall into.
var works = []string{"checkpoint", "compaction", "install", "fork"}

// work is what a daemon does at the moment, and how many ends fell into what.
type work struct {
	mu   sync.Mutex     // guards what follows
	open map[string]int // of each kind, how many are under way
	fell map[string]int // ends
}

// begin says that something begins; the result says that it ends.
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

// logged takes a message of the log of a daemon.
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

// aim is the kind of work that the end of a life waits for, "" for none: most ends at any moment fall into none.
func aim(life int) string {
	if kind := life % (len(works) + 1); kind < len(works) {
		return works[kind]
	}
	return ""
}

// isIn reports whether something of a kind is under way.
func (w *work) isIn(kind string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open[kind] > 0
}

// missed is an error if there were many ends, and none of them fell into some kind of work.
func (w *work) missed(ends int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, kind := range works {
		if ends >= manyEnds && w.fell[kind] == 0 {
			return fmt.Errorf("none of %d ends fell into a %s: they show nothing about it", ends, kind)
		}
	}
	return nil
}

// manyEnds is after how many ends each kind of work must have been met.
const manyEnds = 100

// reset says that nothing is under way.
func (w *work) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = nil
}

// end counts an end now, and what of some kinds it fell into.
func (w *work) end(kinds ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fell == nil {
		w.fell = make(map[string]int)
	}
	for _, kind := range kinds {
		if w.open[kind] > 0 {
			w.fell[kind]++
		}
	}
}

// String tells how many ends fell into what.
func (w *work) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	parts := make([]string, len(works))
	for at, kind := range slices.All(works) {
		parts[at] = fmt.Sprintf("%s: %d", kind, w.fell[kind])
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
