package instance

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/canisterd/canisterd/daemon/journal"
	"github.com/canisterd/canisterd/replica"
)

// History is what the journal of an instance has.
type History struct {
	First, Last  uint64 // rounds at which it can be forked
	Begins, Ends uint64 // ns, times of these rounds
	Checkpoints  []journal.Checkpoint
	Accepted     []Accepted
	More         bool // than those
}

// Accepted is an input that clients gave, as the journal has it.
type Accepted struct {
	Position uint64 // records before it
	Height   uint64 // rounds before it
	Time     uint64 // ns, of the last of these rounds
	Kind     string // "ingress", "add_cycles": the type of Input
	Input    replica.Input
}

// History is the oldest and the newest round at which the instance can be forked, and up to most inputs that were
// accepted after so many records.
func (i *Instance) History(ctx context.Context, after uint64, most int) (h *History, err error) {
	if err := i.record(ctx); err != nil {
		return nil, err
	}
	err = i.during(ctx, func(ctx context.Context) error {
		return i.keeper.past(func(oldest *journal.Checkpoint) error {
			h = &History{First: oldest.Height, Last: oldest.Height, Begins: oldest.Time, Ends: oldest.Time, Checkpoints: i.keeper.journal.Checkpoints()}
			height, at := oldest.Height, oldest.Time
			return i.keeper.walk(ctx, oldest, func(s *step) error {
				if kind := kindOf(s.Input); kind != "" && s.Position >= after {
					if h.More = len(h.Accepted) == most; !h.More {
						h.Accepted = append(h.Accepted, Accepted{Position: s.Position, Height: height, Time: at, Kind: kind, Input: s.Input})
					}
				}
				if s.Grew {
					height, at = s.Height, s.Time
					h.Last, h.Ends = height, at
				}
				return nil
			})
		})
	})
	return h, err
}

// kindOf names the type of an input; "" for those that an instance gives itself.
func kindOf(in replica.Input) string {
	switch in.(type) {
	case nil, replica.QueryCounts, *replica.ForgetAnswers, *replica.ShedAnswers, *replica.ModulePrepared:
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
