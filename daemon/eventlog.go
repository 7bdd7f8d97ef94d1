package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// logEvents logs the events of the instance at the level of --verbose: the event's kind, and its fields in the group
// "event", with the names of the vocabulary of events.
func (f *frontend) logEvents(ctx context.Context, i *instance.Instance) {
	from := driver.From{Beginning: true}
	for {
		err := f.logFrom(ctx, i, from)
		place, behind := errors.AsType[*driver.PlaceError](err)
		if !behind || ctx.Err() != nil {
			return // the instance has ended
		}
		if errors.Is(err, driver.ErrBehind) {
			f.log.Warn("more happens than is logged", "unlogged", place.First-place.Wanted)
		}
	}
}

// logFrom logs events until there are no more, or the log falls behind.
func (f *frontend) logFrom(ctx context.Context, i *instance.Instance, from driver.From) error {
	s, err := i.Driver().Events(ctx, from, driver.Filter{})
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return errors.Join(err, f.logRest(ctx, s))
		}
		f.logEvent(ctx, &e)
	}
}

// logRest logs the events recorded by the end of the instance.
func (f *frontend) logRest(ctx context.Context, s *driver.Stream) error {
	for {
		e, ok, err := s.Recorded()
		if !ok {
			return err
		}
		f.logEvent(ctx, &e)
	}
}

func (f *frontend) logEvent(ctx context.Context, e *driver.Recorded) {
	f.log.LogAttrs(ctx, slog.LevelDebug, e.Kind.String(), slog.GroupAttrs("event", attributes(e)...))
}

func attributes(e *driver.Recorded) []slog.Attr {
	all := []slog.Attr{slog.Uint64("sequence", e.Sequence)}
	for name, value := range e.Fields() {
		if callers, ok := value.([]replica.Caller); ok {
			value = asynchronousStack(callers)
		}
		all = append(all, slog.Any(name, value))
	}
	return all
}

// asynchronousStack formats a backtrace across canisters on a line, the innermost context first.
func asynchronousStack(callers []replica.Caller) string {
	frames := make([]string, len(callers))
	for i, c := range callers {
		frames[i] = fmt.Sprintf("%s.%s (context %d)", c.Canister, c.Method, c.Context)
	}
	return strings.Join(frames, " < ")
}
