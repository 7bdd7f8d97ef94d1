package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// logEvents tells the log, at the level of what is said with --verbose, what happens in the
// instance: the event's kind, and in the group "event" its fields, by the names of the
// vocabulary of events.
func (i *member) logEvents() {
	from := node.From{Beginning: true}
	for {
		err := i.logFrom(from)
		place, behind := errors.AsType[*node.PlaceError](err)
		if !behind || i.ctx.Err() != nil {
			return // the instance has ended
		}
		if errors.Is(err, node.ErrBehind) {
			i.log.Warn("more happens than is logged", "unlogged", place.First-place.Wanted)
		}
	}
}

// logFrom logs events until there are no more, or the log falls behind.
func (i *member) logFrom(from node.From) error {
	s, err := i.node.Events(i.ctx, from, node.Filter{})
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		e, err := s.Next(i.ctx)
		if err != nil {
			return errors.Join(err, i.logRest(s))
		}
		i.logEvent(&e)
	}
}

// logRest logs what is recorded when the instance ends.
func (i *member) logRest(s *node.Stream) error {
	for {
		e, ok, err := s.Recorded()
		if !ok {
			return err
		}
		i.logEvent(&e)
	}
}

func (i *member) logEvent(e *node.Recorded) {
	i.log.LogAttrs(i.ctx, slog.LevelDebug, e.Kind.String(), slog.GroupAttrs("event", attributes(e)...))
}

func attributes(e *node.Recorded) []slog.Attr {
	all := []slog.Attr{slog.Uint64("sequence", e.Sequence)}
	for name, value := range e.Fields() {
		if callers, ok := value.([]replica.Caller); ok {
			value = asynchronousStack(callers)
		}
		all = append(all, slog.Any(name, value))
	}
	return all
}

// asynchronousStack is a backtrace across canisters in a line, the innermost context first.
func asynchronousStack(callers []replica.Caller) string {
	frames := make([]string, len(callers))
	for i, c := range callers {
		frames[i] = fmt.Sprintf("%s.%s (context %d)", c.Canister, c.Method, c.Context)
	}
	return strings.Join(frames, " < ")
}
