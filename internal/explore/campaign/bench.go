package campaign

import (
	"errors"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// baseline has some of the operations and everything that is needed to judge their runs. Workers share it: newBaseline
// is the only writer.
type baseline struct {
	config     *Config
	chosen     []int // positions of the operations
	properties []property.Property
	profile    search.Profile // of the FIFO run
	work       uint64         // instructions of the FIFO run
	fifo       []*harness.Step
	due        bool // a timer or a deadline is pending when a run begins
}

// outcome is the result of a run.
type outcome struct {
	steps      []*harness.Step
	plan       harness.Plan
	violations []property.Violation
	answers    []harness.Answer
	reached    []bool   // goals of Config.Sometimes
	values     []string // goals of Config.Maximize, as fractions; "" for none
	unfinished bool     // the run did not come to rest
	partial    bool     // only a part of a run: one that was cut, or one that is counted when it ends
	unapplied  []harness.Fault
	phase      string // of a run of a case
}

// hasFault reports whether a fault happened: to its message, or, for Silent, when the call was made.
func (o *outcome) hasFault(f harness.Fault) bool {
	if f.Kind == harness.Silent {
		call := harness.CallOf(f.At)
		return slices.ContainsFunc(o.steps, func(s *harness.Step) bool {
			return slices.ContainsFunc(s.Calls, func(made harness.CallMade) bool { return made.Name == call })
		})
	}
	return slices.ContainsFunc(o.steps, func(s *harness.Step) bool { return s.Move == f.At && s.Fault == f.Kind })
}

// newBaseline returns a baseline and its harness. The caller closes the harness.
func newBaseline(config *Config, chosen []int) (*baseline, *harness.Harness, error) {
	if err := config.check(); err != nil {
		return nil, nil, err
	}
	l, err := harness.New(&config.Setup, chosen)
	if err != nil {
		return nil, nil, err
	}
	b := &baseline{config: config, chosen: chosen, properties: slices.Clone(config.Properties)}
	if !config.NoBuiltin {
		serial := len(chosen) <= maxSerial
		var observed []harness.Query
		if serial {
			observed = b.observed(l)
		}
		b.properties = append(b.properties, property.Builtin(serial, observed, config.namedReply)...)
	}
	if err := b.learn(l); err != nil {
		l.Close()
		return nil, nil, err
	}
	return b, l, nil
}

// errTimeOver says why an exploration has nothing to report.
var errTimeOver = errors.New("the time was over before the first runs ended: give the exploration more time")

// learn shows the baselines to the properties, and checks that runs are deterministic.
func (b *baseline) learn(l *harness.Harness) error {
	profiler := &search.Profiler{Picker: search.FIFO}
	first, work := b.baseline(l, profiler, false)
	again, _ := b.baseline(l, search.FIFO, false)
	if l.Cut() {
		return errTimeOver
	}
	if !slices.Equal(names(first), names(again)) {
		return fmt.Errorf("two runs in FIFO order deliver different messages, %v and %v: report this as a bug of canisterd", names(first), names(again))
	}
	b.profile, b.fifo, b.work = profiler.Profile, first, work
	for _, order := range serialOrders(b.chosen) {
		if b.baseline(l, search.Serial(order), true); l.Cut() {
			return errTimeOver
		}
	}
	return nil
}

// together returns how many runs share the delivery of their first messages.
func (b *baseline) together() int {
	one := max(1, b.work+uint64(len(b.fifo))*messageInstructions)
	return int(max(1, min(instructionsTogether/one, maxTogether)))
}

// baseline makes a run that the properties learn from. Work is the number of instructions of its messages.
func (b *baseline) baseline(l *harness.Harness, picker search.Picker, serial bool) (steps []*harness.Step, work uint64) {
	r := l.Begin(nil)
	defer r.Close()
	b.due = r.Due()
	if serial {
		picker = b.between(r, picker)
	}
	for range maxMessages {
		moves := r.Moves()
		if len(moves) == 0 {
			break
		}
		if r.Take(picker.Pick(moves)); r.Cut() {
			return nil, 0
		}
	}
	for _, p := range b.properties {
		if learns, ok := p.(property.Baseline); ok {
			learns.Learn(r, serial)
		}
	}
	return r.Steps(), r.Instructions()
}

// between shows a serial run to the properties before each operation begins.
func (b *baseline) between(r *harness.Run, picker search.Picker) search.Picker {
	return search.PickerFunc(func(moves []search.Move) int {
		at := picker.Pick(moves)
		if moves[at].Cause == "" {
			for _, p := range b.properties {
				if learns, ok := p.(property.SerialStateLearner); ok {
					learns.LearnSerialState(r)
				}
			}
		}
		return at
	})
}

// serialOrders returns orders in which the operations run one after the other: all permutations of up to maxSerial
// operations, the rotations of more.
func serialOrders(chosen []int) (orders [][]string) {
	all := make([]string, len(chosen))
	for i, position := range chosen {
		all[i] = harness.OperationName(position)
	}
	if len(all) > maxSerial {
		for i := range all {
			orders = append(orders, slices.Concat(all[i:], all[:i]))
		}
		return orders
	}
	var permute func(order, rest []string)
	permute = func(order, rest []string) {
		if len(rest) == 0 {
			orders = append(orders, slices.Clone(order))
		}
		for i := range rest {
			permute(append(slices.Clone(order), rest[i]), slices.Concat(rest[:i], rest[i+1:]))
		}
	}
	permute(nil, all)
	return orders
}

// run makes one run under a plan.
func (b *baseline) run(l *harness.Harness, plan harness.Plan, picker search.Picker) outcome {
	return b.each(l, []planned{{plan, picker}})[0]
}

// atRest checks the stated properties if the run was at rest and continues because time has passed. The built-in
// properties are only checked when the run is over: a timer may still repair something.
func (b *baseline) atRest(r *harness.Run) (found []property.Violation) {
	if !r.Rested() {
		return nil
	}
	for _, p := range b.config.Properties {
		if !property.MayRepair(p) {
			found = append(found, p.AtRest(r)...)
		}
	}
	return found
}

// afterMessage checks the properties that must hold after each message.
func (b *baseline) afterMessage(r *harness.Run) (found []property.Violation) {
	for _, p := range b.properties {
		for _, v := range p.AfterMessage(r) {
			steps := r.Steps()
			v.At = steps[len(steps)-1].Move
			found = append(found, v)
		}
	}
	return found
}

// judge sets the outcome of a run that has ended. The outcome of a run that was cut only has the violations found
// before: such a run may not even have a message.
func (b *baseline) judge(r *harness.Run, o *outcome) {
	early, cut := o.violations, r.Cut()
	if !cut {
		b.finishOutcome(r, o)
	}
	if cut || r.Cut() {
		*o = outcome{steps: r.Steps(), plan: o.plan, violations: early, partial: true}
	}
}

func (b *baseline) finishOutcome(r *harness.Run, o *outcome) {
	o.steps, o.answers, o.unapplied = r.Steps(), r.Answers(), r.Unapplied()
	if o.unfinished = len(r.Moves()) > 0; o.unfinished {
		for _, p := range b.properties {
			if endless, ok := p.(property.Endless); ok {
				o.violations = append(o.violations, endless.Unfinished(r)...)
			}
		}
		return
	}
	for _, p := range b.properties {
		o.violations = append(o.violations, p.AtRest(r)...)
	}
	for i := range b.config.Sometimes {
		o.reached = append(o.reached, b.config.Sometimes[i].Reached(r))
	}
	for i := range b.config.Maximize {
		text := ""
		if v := b.config.Maximize[i].Value(r); v != nil {
			text = v.RatString()
		}
		o.values = append(o.values, text)
	}
}

// names returns the names of the messages of a run.
func names(steps []*harness.Step) (all []string) {
	for i := range steps {
		all = append(all, steps[i].Move)
	}
	return all
}
