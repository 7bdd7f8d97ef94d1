package explore

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// scheduleHead begins the text of a schedule.
const scheduleHead = "component schedule 1"

// Schedule is how a run differs from the default order.
type Schedule struct{ Deviations []Deviation }

// Deviation is a choice other than the default.
type Deviation struct {
	At     int    // which choice of the run it is, from 1
	Kind   string // event, wait, yield, thread or cancellation, as component.ChoiceKind; or host
	Option int    // that is chosen; the default is 0
	Of     int    // options
	Text   string // for people
}

// scheduleOf gives the schedule of a run.
func scheduleOf(made []choice) (s Schedule) {
	for n, c := range made {
		if c.option != 0 {
			s.Deviations = append(s.Deviations, Deviation{n + 1, c.kind, c.option, c.all, c.text})
		}
	}
	return s
}

// choices gives the choices up to the last one that is not the default.
func (s Schedule) choices() (all []choice) {
	for _, d := range s.Deviations {
		for len(all) < d.At-1 {
			all = append(all, choice{})
		}
		all = append(all, choice{d.Kind, d.Option, d.Of, d.Text})
	}
	return all
}

func deviations(made []choice) (count int) {
	for _, c := range made {
		if c.option != 0 {
			count++
		}
	}
	return count
}

// String gives a line for each deviation.
func (s Schedule) String() string {
	if len(s.Deviations) == 0 {
		return "  in the default order\n"
	}
	text := ""
	for _, d := range s.Deviations {
		text += fmt.Sprintf("  %s\n", d)
	}
	return text
}

func (d Deviation) String() string {
	return fmt.Sprintf("choice %d, %s %d of %d: %s", d.At, d.Kind, d.Option, d.Of, d.Text)
}

// MarshalText gives the text of a schedule for a file.
func (s Schedule) MarshalText() ([]byte, error) {
	text := scheduleHead + "\n"
	for _, d := range s.Deviations {
		text += d.String() + "\n"
	}
	return []byte(text), nil
}

// UnmarshalText reads the text of a schedule.
func (s *Schedule) UnmarshalText(text []byte) error {
	head, lines, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if head != scheduleHead {
		return fmt.Errorf("invalid schedule: it begins with %q, expected %q", head, scheduleHead)
	}
	s.Deviations = nil
	last := 0
	for line := range strings.Lines(lines) {
		numbers, words, ok := strings.Cut(strings.TrimSpace(line), ": ")
		d := Deviation{Text: words}
		n, err := fmt.Sscanf(numbers, "choice %d, %s %d of %d", &d.At, &d.Kind, &d.Option, &d.Of)
		if !ok || err != nil || n != 4 || d.At <= last || d.At > maxChoices || d.Option < 1 || d.Option >= d.Of {
			return fmt.Errorf("invalid schedule: %q is no line of the form choice N, KIND OPTION of OPTIONS: TEXT, with increasing numbers", strings.TrimSpace(line))
		}
		last = d.At
		s.Deviations = append(s.Deviations, d)
	}
	return nil
}

// ErrStale is the error of a replay whose program does not come to the choices of the schedule.
var ErrStale = errors.New("the schedule does not fit the program")

// Replay runs a program with a schedule, and gives the error of the program. It is [ErrStale] if the program has other choices
// than it had when the schedule was found.
func Replay(ctx context.Context, program Program, s Schedule) error {
	r, err := execute(ctx, program, follow(s.choices()))
	for _, d := range s.Deviations {
		switch {
		case d.At > len(r.made):
			return fmt.Errorf("%w: it has %d choices, and choice %d is scheduled", ErrStale, len(r.made), d.At)
		case r.made[d.At-1].kind != d.Kind || r.made[d.At-1].all != d.Of:
			made := r.made[d.At-1]
			return fmt.Errorf("%w: choice %d is a %s of %d options, and a %s of %d is scheduled", ErrStale, d.At, made.kind, made.all, d.Kind, d.Of)
		}
	}
	return err
}
