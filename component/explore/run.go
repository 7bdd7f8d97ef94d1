package explore

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// Program is what an exploration runs. It makes its instances with component.WithScheduler(run) and returns an error if
// something is wrong: of a call that traps, or of its own. It must do the same whenever the choices are the same.
type Program func(ctx context.Context, run *Run) error

// Run makes the choices of one run. It is the scheduler of the instances that its program makes.
type Run struct {
	pick    func(moves []search.Move) int
	made    []choice
	counts  map[string]int // of the options that were chosen, by their names
	stopped bool           // it made too many choices
}

// choice is a choice that was made.
type choice struct {
	kind        string
	option, all int
	text        string
}

// hostKind is the kind of the choices of the program itself.
const hostKind = "host"

// errTooLong ends a run that makes too many choices.
var errTooLong = errors.New("the run makes too many choices")

// Choose makes a choice of an instance.
func (r *Run) Choose(kind component.ChoiceKind, options []component.Option) int {
	names, texts := make([]string, len(options)), make([]string, len(options))
	for n, o := range options {
		names[n] = o.String()
		texts[n] = fmt.Sprintf("%s before %s", o, options[0])
	}
	switch kind {
	case component.ChooseWait:
		names[1], texts[1] = names[1]+" blocks", names[1]+" blocks"
	case component.ChooseYield:
		names[1], texts[1] = names[1]+" goes on", names[1]+" goes on"
	}
	return r.choose(kind.String(), options[0], names, texts)
}

// Pick makes a choice of the program: which of n things its host does next. The first one is the default.
func (r *Run) Pick(what string, n int) int {
	if n < 2 {
		return 0
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s: %d", what, i)
	}
	return max(r.choose(hostKind, component.Option{}, names, names), 0)
}

// choose makes a choice. It is negative if the run is stopped: the instance traps.
func (r *Run) choose(kind string, first component.Option, names, texts []string) int {
	if r.stopped || len(r.made) >= maxChoices {
		r.stopped = true
		return -1
	}
	moves := make([]search.Move, len(names))
	for n, name := range names {
		moves[n] = search.Move{Name: fmt.Sprintf("%s#%d", name, r.counts[name]), Task: name, Receiver: search.All}
	}
	if kind == component.ChooseWait.String() || kind == component.ChooseYield.String() {
		moves[1].Task = first.String()
	}
	at := r.pick(moves)
	r.counts[names[at]]++
	r.made = append(r.made, choice{kind, at, len(names), texts[at]})
	return at
}

// execute runs a program once.
func execute(ctx context.Context, program Program, pick func(moves []search.Move) int) (*Run, error) {
	r := &Run{pick: pick, counts: map[string]int{}}
	err := program(ctx, r)
	if r.stopped {
		err = errTooLong
	}
	return r, err
}

// follow makes choices again, and takes the first options after them.
func follow(choices []choice) func(moves []search.Move) int {
	next := 0
	return func(moves []search.Move) int {
		next++
		if next > len(choices) || choices[next-1].option >= len(moves) {
			return 0
		}
		return choices[next-1].option
	}
}
