package instance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
)

// History is a part of the journal of an instance.
type History struct {
	First, Last  uint64 // oldest and newest round at which it can be forked
	Begins, Ends uint64 // ns, times of these rounds
	Checkpoints  []journal.Checkpoint
	Accepted     []Accepted
	More         bool // the journal has more inputs
}

// Accepted is an input from clients in the journal, a message whose code failed, or a mark.
type Accepted struct {
	Position uint64 // records before it
	Height   uint64 // rounds before it
	Time     uint64 // ns, of the last of these rounds
	Kind     string // "ingress", "add_cycles": the type of Input; "trap", "mark"
	Input    replica.Input
	Trap     *replica.TrapMark // of kind "trap"
	Mark     string            // the name, of kind "mark"
}

// HistoryPart selects a part of the journal.
type HistoryPart struct {
	After     uint64 // number of records before it
	Most      int    // number of inputs, traps and marks; the traps of one round stay together, so there may be some more
	OnlyMarks bool   // without inputs
}

// History returns the range of rounds at which the instance can be forked, and a part of its inputs, traps and marks.
func (i *Instance) History(ctx context.Context, part HistoryPart) (h *History, err error) {
	if err := i.flushRecords(ctx); err != nil {
		return nil, err
	}
	err = i.withJournal(ctx, func(ctx context.Context) error {
		return i.persister.readHistory(func(all []journal.Checkpoint) (err error) {
			h = &History{First: all[0].Height, Begins: all[0].Time, Checkpoints: all}
			if h.Last, h.Ends, err = i.persister.lastRound(ctx, all); err != nil {
				return err
			}
			return i.persister.accepted(ctx, all, part, h)
		})
	})
	return h, err
}

// ExportJournal writes the journal of the instance to one file, for a replay on any machine. The instance keeps
// running.
func (i *Instance) ExportJournal(ctx context.Context, to io.Writer) error {
	if err := i.flushRecords(ctx); err != nil {
		return err
	}
	return i.withJournal(ctx, func(context.Context) error { return i.persister.journal.Export(to) })
}

// accepted adds a part of the inputs, traps and marks to a history.
func (k *persister) accepted(ctx context.Context, all []journal.Checkpoint, part HistoryPart, h *History) error {
	from := newestBefore(all, func(c *journal.Checkpoint) bool { return c.Position <= part.After })
	height, at := from.Height, from.Time
	err := k.walk(ctx, from, func(s *step) error {
		one := Accepted{Position: s.Position, Height: height, Time: at, Kind: kindOf(s.Input), Input: s.Input}
		if one.Mark = s.Mark; one.Mark != "" {
			one.Kind = markKind
		} else if part.OnlyMarks {
			one.Kind = ""
		}
		height, at = s.Height, s.Time
		if s.Position < part.After || one.Kind == "" && len(s.Marks.Traps) == 0 {
			return nil
		}
		if h.More = len(h.Accepted) >= part.Most; h.More {
			return errReached
		}
		if one.Kind != "" {
			h.Accepted = append(h.Accepted, one)
		}
		for i := range s.Marks.Traps {
			one.Kind, one.Trap = trapKind, &s.Marks.Traps[i]
			h.Accepted = append(h.Accepted, one)
		}
		return nil
	})
	if errors.Is(err, errReached) {
		return nil
	}
	return err
}

// trapKind is the kind of messages whose code failed, markKind the kind of users' marks.
const (
	trapKind = "trap"
	markKind = "mark"
)

// Mark marks the present state with a name, at which it can be forked (Moment), and syncs it to disk. A name may be
// used again: the newest mark counts. The result has the place of the mark.
func (i *Instance) Mark(ctx context.Context, name string) (made Accepted, err error) {
	if !validInstanceName(name) {
		return Accepted{}, BadField.Refuse("mark", fmt.Sprintf("%.100q", name), "expected 1 to 64 of a-z, 0-9, - and _, beginning with a letter")
	}
	if i.persister == nil {
		return Accepted{}, NoHistory.Refuse(i.name)
	}
	err = i.driver.Do(ctx, func(n *replica.Network) {
		n.Mark(name)
		now := n.Activity()
		made = Accepted{Position: i.persister.Position() - 1, Height: now.Height, Time: now.Time, Kind: markKind, Mark: name}
	})
	return made, err
}

// kindOf names the type of an input, "" for inputs that the instance makes itself.
func kindOf(in replica.Input) string {
	switch in.(type) {
	case nil, replica.QueryCounts, *replica.ForgetAnswers, *replica.ShedAnswers, *replica.DropAnswers, *replica.ModulePrepared:
		return ""
	case *replica.HTTPAnswer:
		return "http_answer"
	}
	name := fmt.Sprintf("%T", in)
	var kind strings.Builder
	for at, r := range name[strings.LastIndex(name, ".")+1:] {
		if unicode.IsUpper(r) && at > 0 {
			kind.WriteByte('_')
		}
		kind.WriteRune(unicode.ToLower(r))
	}
	return kind.String()
}
