package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/replica"
)

// Recorded is an event with its number. Numbers count from 1 in each generation of an instance.
type Recorded struct {
	Sequence uint64
	At       int64 // what Config.Clock showed when it was recorded; 0 without a clock
	replica.Event
}

// Token is a place in the events of an instance: after the event with a number.
type Token struct {
	Generation uint64 // Config.Generation, plus one for each Restore
	Sequence   uint64
}

// String returns the text that ParseToken reads.
func (t Token) String() string { return fmt.Sprintf("%016x-%d", t.Generation, t.Sequence) }

// ParseToken reads the text of a token.
func ParseToken(text string) (Token, error) {
	generation, sequence, ok := strings.Cut(text, "-")
	i, err := strconv.ParseUint(generation, 16, 64)
	s, err2 := strconv.ParseUint(sequence, 10, 64)
	if t := (Token{i, s}); ok && err == nil && err2 == nil && t.String() == text {
		return t, nil
	}
	return Token{}, fmt.Errorf("invalid resume token %q: expected GENERATION-NUMBER", text)
}

// From says where a stream of events begins. The zero value means from now on.
type From struct {
	Beginning bool   // with the oldest recorded event
	After     *Token // with the first event after it
}

// Reasons why a place in the events is not valid.
var (
	ErrOtherGeneration = errors.New("the token is of another generation of the instance")
	ErrForgotten       = errors.New("the events after the token are forgotten")
	ErrBehind          = errors.New("the reader fell behind: events it has not read are forgotten")
	ErrNotYet          = errors.New("the token is of an event that has not happened")
)

// PlaceError says why a stream cannot continue from a place. It wraps one of the errors above.
type PlaceError struct {
	Why        error
	Wanted     uint64 // number of the event that should come next
	First      uint64 // of the first event that exists, or will
	Generation uint64 // that was read, or is current
}

func (e *PlaceError) Error() string {
	return fmt.Sprintf("%s: event %d is wanted, the first there is is %d", e.Why, e.Wanted, e.First)
}

func (e *PlaceError) Unwrap() error { return e.Why }

// Filter selects events that pass all its fields; an empty field passes all.
type Filter struct {
	Kinds     []replica.EventKind
	Canisters []principal.Principal // where it happened, or the other side of a call
	Tree      *trace.Root           // a message or context and everything that follows from it
	Failures  bool                  // rejects, traps, dropped messages
}

// Stream reads the events of an instance for one reader. It is not safe for concurrent use.
type Stream struct {
	driver     *Driver
	filter     Filter
	generation uint64         // that it reads
	members    *trace.Members // nil: events of all trees pass
	from       uint64         // the first event that may pass; earlier ones only determine what belongs to the tree
	next       uint64
	batch      run       // begins with number next
	woken      time.Time // when it last began to read new events
	closed     bool
}

// Events returns a stream of events: those recorded from a place on, then new ones. The error is ctx's, ErrClosed, or a
// *PlaceError. The stream must be closed. If an instance does not record from its start, the first stream starts the
// recording.
func (d *Driver) Events(ctx context.Context, from From, filter Filter) (*Stream, error) {
	if !d.recording.Load() {
		if err := d.askReadOnly(ctx, func(d *Driver) { d.record() }); err != nil {
			return nil, err
		}
	}
	s := &Stream{driver: d, filter: filter}
	if filter.Tree != nil {
		s.members = trace.NewMembers(*filter.Tree)
	}
	r := &d.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.first()
	switch {
	case from.After != nil:
		s.from = from.After.Sequence + 1
		if why := r.refuse(*from.After); why != nil {
			return nil, &PlaceError{why, s.from, first, r.generation}
		}
	case from.Beginning:
		s.from = first
	default:
		s.from = r.next
	}
	if s.next = s.from; s.members != nil {
		s.next = first
	}
	s.generation = r.generation
	r.readers++
	return s, nil
}

// refuse returns why a stream cannot continue after a token. r.mu is held.
func (r *recorder) refuse(after Token) error {
	switch {
	case after.Generation != r.generation:
		return ErrOtherGeneration
	case after.Sequence >= r.next:
		return ErrNotYet
	case after.Sequence+1 < r.first():
		return ErrForgotten
	}
	return nil
}

// record makes the driver record events from now on.
func (d *Driver) record() {
	d.recording.Store(true)
	d.network.Listen(&d.recorder)
}

// signed records a signed height.
func (d *Driver) signed(subnet principal.Principal, height, time uint64) {
	if d.recording.Load() {
		d.recorder.signed(subnet, height, time)
	}
}

// Close ends a stream; all calls of Next must have returned.
func (s *Stream) Close() {
	if s.closed {
		return
	}
	s.closed, s.batch = true, run{}
	s.driver.recorder.mu.Lock()
	defer s.driver.recorder.mu.Unlock()
	s.driver.recorder.readers--
}

// Token returns the place after everything that the stream has read: a stream that continues from it misses nothing.
func (s *Stream) Token() Token { return Token{s.generation, max(s.next, s.from) - 1} }

// Next returns the next event that passes the filter, and waits for one. The error is ctx's, a *PlaceError if the
// reader fell behind or the instance was restored, or ErrClosed if there are no more events.
func (s *Stream) Next(ctx context.Context) (Recorded, error) {
	for {
		e, wait, err := s.step()
		if err != nil || wait == nil {
			return e, err
		}
		select {
		case <-wait:
			s.rest(ctx)
		case <-ctx.Done():
			return Recorded{}, ctx.Err()
		}
	}
}

// rest waits for more events while rounds follow each other: waking a reader for each would cost the network as much as
// the round.
func (s *Stream) rest(ctx context.Context) {
	left := ReaderRest - time.Since(s.woken)
	if left > 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	s.woken = time.Now()
}

// Recorded returns the next event that is already recorded; ok is false if there is none yet.
func (s *Stream) Recorded() (e Recorded, ok bool, err error) {
	e, wait, err := s.step()
	if errors.Is(err, ErrClosed) {
		return e, false, nil
	}
	return e, wait == nil && err == nil, err
}

// step returns the next event, or the channel to wait for.
func (s *Stream) step() (Recorded, <-chan struct{}, error) {
	for {
		for len(s.batch.events) > 0 {
			e, at := s.batch.pop()
			number := s.next
			s.next++
			if s.passes(e) && number >= s.from {
				return Recorded{number, at, *e}, nil, nil
			}
		}
		var wait <-chan struct{}
		var first uint64
		var why error
		s.batch, wait, first, why = s.driver.recorder.read(s.generation, s.next)
		if errors.Is(why, ErrBehind) && first <= s.from {
			s.next = first // forgotten events only determined what belongs to the tree
			continue
		}
		if why != nil {
			return Recorded{}, nil, &PlaceError{why, max(s.next, s.from), first, s.generation}
		}
		switch {
		case wait != nil:
			return Recorded{}, wait, nil
		case len(s.batch.events) == 0:
			return Recorded{}, nil, s.driver.stopped()
		}
	}
}

// passes reports whether the filter selects an event. It must see all events: each tells the tree what belongs to it.
func (s *Stream) passes(e *replica.Event) bool {
	f := &s.filter
	if s.members != nil && !s.members.Take(e) {
		return false
	}
	if len(f.Kinds) > 0 && !slices.Contains(f.Kinds, e.Kind) {
		return false
	}
	if len(f.Canisters) > 0 && !slices.ContainsFunc(f.Canisters, func(id principal.Principal) bool { return concerns(e, id) }) {
		return false
	}
	return !f.Failures || failed(e)
}

// concerns reports whether an event happened to a canister, or to a call to or from it.
// Events of the whole network name none: the zero id is the management canister's.
func concerns(e *replica.Event, id principal.Principal) bool {
	if e.Kind == replica.RoundEnded || e.Kind == replica.Certified {
		return false
	}
	return e.Canister == id || e.Peer == id && (e.Call != 0 || e.Kind == replica.CanisterMoved)
}

func failed(e *replica.Event) bool {
	return e.Reject != nil || e.Kind == replica.MessageDropped || e.Kind == replica.MessageShed || e.Kind == replica.ResponseLate
}
