package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Watcher looks at files of a folder.
type Watcher struct {
	folder  string
	events  *fsnotify.Watcher // nil for one that polls
	closing chan struct{}     // closed to end one that polls
	watched map[string]bool   // directories
	changes chan struct{}
	ended   chan struct{}
}

// New returns a watcher of files of a folder, which watches nothing before its first scan.
func New(folder string) (*Watcher, error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching files: %w", err)
	}
	w := &Watcher{folder: folder, events: events, watched: map[string]bool{}, changes: make(chan struct{}, 1), ended: make(chan struct{})}
	go w.listen()
	return w, nil
}

// NewPolling returns a watcher that tells at intervals to look again, for file systems without events: network shares, and
// directories that a virtual machine or a container mounts.
func NewPolling(folder string, every time.Duration) *Watcher {
	w := &Watcher{folder: folder, closing: make(chan struct{}), changes: make(chan struct{}, 1), ended: make(chan struct{})}
	go w.poll(every)
	return w
}

// Close ends all watches.
func (w *Watcher) Close() (err error) {
	if w.events != nil {
		err = w.events.Close()
	} else {
		close(w.closing)
	}
	<-w.ended
	return err
}

// Changes receives a value when files of the sets of the last scan may have changed since it began; of a watcher that
// polls, at each interval.
func (w *Watcher) Changes() <-chan struct{} { return w.changes }

// Scan reads the files of sets, and watches their directories from before it reads them. Directories that earlier scans
// watched are watched no longer.
func (w *Watcher) Scan(sets ...Set) ([]Files, error) {
	watched := map[string]bool{}
	found := make([]Files, len(sets))
	for i, set := range sets {
		s := &scan{folder: w.folder, set: set, found: Files{}, visited: map[string]bool{}, watch: func(directory string) error {
			if watched[directory] {
				return nil
			}
			watched[directory] = true
			return w.watch(directory)
		}}
		if err := s.all(); err != nil {
			return nil, err
		}
		found[i] = s.found
	}
	for directory := range maps.Keys(w.watched) {
		if !watched[directory] && w.events != nil {
			_ = w.events.Remove(directory) // it may be gone
		}
	}
	w.watched = watched
	return found, nil
}

// watch watches a directory, again if it has become another one at the same path.
func (w *Watcher) watch(directory string) error {
	if w.events == nil {
		return nil
	}
	switch err := w.events.Add(directory); {
	case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil // its parent says when it is there again
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE):
		return fmt.Errorf("watching %s: %w: select fewer directories, or raise the system's limit of watches (on Linux fs.inotify.max_user_watches and max_user_instances)", directory, err)
	default:
		return fmt.Errorf("watching %s: %w", directory, err)
	}
}

// listen turns events into changes: one when events have ended, or when they have not ended for a while. An error, such
// as an overflow, stands for events that were lost.
func (w *Watcher) listen() {
	defer close(w.ended)
	var calm, latest *time.Timer
	events, errs := w.events.Events, w.events.Errors
	hint := func() {
		if calm == nil {
			calm, latest = time.NewTimer(quiet), time.NewTimer(patience)
		}
		calm.Reset(quiet)
	}
	for events != nil || errs != nil {
		var calmed, late <-chan time.Time
		if calm != nil {
			calmed, late = calm.C, latest.C
		}
		select {
		case _, open := <-events:
			if !open {
				events = nil
				continue
			}
			hint()
		case _, open := <-errs:
			if !open {
				errs = nil
				continue
			}
			hint()
		case <-calmed:
			calm, latest = nil, nil
			w.report()
		case <-late:
			calm, latest = nil, nil
			w.report()
		}
	}
}

// poll reports a change at intervals.
func (w *Watcher) poll(every time.Duration) {
	defer close(w.ended)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-w.closing:
			return
		case <-tick.C:
			w.report()
		}
	}
}

// report puts a value into the channel of changes, unless there is one.
func (w *Watcher) report() {
	select {
	case w.changes <- struct{}{}:
	default:
	}
}
