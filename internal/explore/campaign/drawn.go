package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/argument"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Drawn says what is drawn for each case of an exploration: the arguments of some operations, and calls.
type Drawn struct {
	// Operations are what the arguments of operations are drawn from, by the positions of the operations. The title of such
	// an operation has ? in place of the arguments.
	Operations map[int]argument.Method
	// Any are the operations of which some are drawn: up to maxDrawnCalls before the others, and up to two with them.
	Any []DrawnOperation
	// Principals are the principals that arguments are drawn from.
	Principals []principal.Principal
	// Fresh makes all cases begin in the base, none in a state that an earlier case reached.
	Fresh bool
}

// DrawnOperation is an operation with what its arguments are drawn from. Its title has ? in place of the arguments.
type DrawnOperation struct {
	Operation harness.Operation
	Method    argument.Method
}

// drawnCall is an operation of a case.
type drawnCall struct {
	DrawnOperation
	template int // see CaseCall
	values   []candid.Value
	fixed    bool // the arguments are those of the operation
}

// CaseJob is a case. It is the same for all workers.
type CaseJob struct {
	Number int
	Begin  []CaseCall // calls that lead to a state that an earlier case reached; what is drawn comes after them
	// Given are the operations, of which none is drawn, with a run of theirs: faults and the names of messages; nil: they are
	// drawn.
	Given    []CaseCall
	Plan     harness.Plan
	Messages []string
}

// CaseCall is a call with its arguments. Template is the position of its operation in Setup.Operations, or behind them in
// Drawn.Any.
type CaseCall struct {
	Template int
	Arg      []byte
}

// made returns the operation with its arguments.
func (k *drawnCall) made() (harness.Operation, error) {
	o := k.Operation
	if k.fixed {
		return o, nil
	}
	arg, err := candid.Encode(k.values, k.Method.Types)
	if err != nil {
		return o, fmt.Errorf("drawn arguments of %s: %w", o.Title, err)
	}
	o.Message.Size += len(arg) - len(o.Message.Arg)
	o.Message.Arg = arg
	o.Title = strings.Replace(o.Title, "?", candid.FormatArgs(k.values), 1)
	return o, nil
}

// drawnCase is the calls of a case: some before the operations, and the operations.
type drawnCase struct{ before, operations []drawnCall }

// template returns an operation by CaseCall.Template, and whether its arguments are drawn. Without a method, it is not drawn.
func (c *Config) template(at int) (o DrawnOperation, drawn bool) {
	if fixed := len(c.Setup.Operations); at >= fixed {
		return c.Drawn.Any[at-fixed], true
	}
	method, drawn := c.Drawn.Operations[at]
	return DrawnOperation{c.Setup.Operations[at], method}, drawn
}

// callsOfAny returns the calls of Drawn.Any in a case, in their order.
func (c *Config) callsOfAny(k *drawnCase) (all []CaseCall) {
	for _, call := range slices.Concat(k.before, k.operations) {
		if call.template < len(c.Setup.Operations) {
			continue
		}
		if o, err := call.made(); err == nil {
			all = append(all, CaseCall{call.template, o.Message.Arg})
		}
	}
	return all
}

// present returns the results of the queries without arguments of the canisters of the operations, before the first run. The
// sender of the first operation sends them.
func (c *Config) present() (known []candid.Value) {
	all := slices.Clone(c.Setup.Operations)
	for i := range c.Drawn.Any {
		all = append(all, c.Drawn.Any[i].Operation)
	}
	var steps []*harness.Step
	for i := range all {
		steps = append(steps, &harness.Step{Canister: all[i].Message.Receiver})
	}
	for _, q := range c.declaredQueries(steps, all[0].Message.Sender) {
		reply, err := harness.Ask(c.Setup.Base, &q)
		if err != nil {
			continue
		}
		if values, _, err := candid.Decode(reply); err == nil {
			known = append(known, values...)
		}
	}
	return known
}

// drawCase draws a case. Known are values that are likely in arguments. Rows are the rows of its operations in the table of
// the report.
func (c *Config) drawCase(j *CaseJob, known []candid.Value) (k drawnCase, rows []int, err error) {
	d := &argument.Drawer{Chance: rand.New(rand.NewPCG(c.Seed, drawnStream+uint64(j.Number))), Principals: c.Drawn.Principals}
	for _, v := range known {
		d.Learn(v)
	}
	if k.before, err = c.given(d, j.Begin); err != nil {
		return k, nil, err
	}
	if j.Given == nil {
		err = c.drawCalls(d, &k)
	} else {
		k.operations, err = c.given(d, j.Given)
	}
	for i := range k.operations {
		rows = append(rows, k.operations[i].template)
	}
	return k, rows, err
}

// drawCalls draws the calls of a case after those with which it begins.
func (c *Config) drawCalls(d *argument.Drawer, k *drawnCase) (err error) {
	draw := func(template int) (call drawnCall) {
		o, drawn := c.template(template)
		call = drawnCall{DrawnOperation: o, template: template, fixed: !drawn}
		if drawn && err == nil {
			if call.values, err = d.Draw(&o.Method); err != nil {
				err = fmt.Errorf("drawing arguments of %s: %w", o.Operation.Title, err)
			}
		}
		return call
	}
	fixed, any := len(c.Setup.Operations), len(c.Drawn.Any)
	if any > 0 {
		for range d.Chance.IntN(maxDrawnCalls + 1) {
			k.before = append(k.before, draw(fixed+d.Chance.IntN(any)))
		}
	}
	for i := range fixed {
		k.operations = append(k.operations, draw(i))
	}
	if any > 0 {
		least := max(0, 1-fixed)
		for range least + d.Chance.IntN(3-least) {
			k.operations = append(k.operations, draw(fixed+d.Chance.IntN(any)))
		}
	}
	return err
}

// given returns calls that are not drawn. Their values are likely in what is drawn after them.
func (c *Config) given(d *argument.Drawer, calls []CaseCall) (all []drawnCall, err error) {
	for _, call := range calls {
		if call.Template >= len(c.Setup.Operations)+len(c.Drawn.Any) {
			return nil, fmt.Errorf("a case has call %d of %d", call.Template+1, len(c.Setup.Operations)+len(c.Drawn.Any))
		}
		o, drawn := c.template(call.Template)
		one := drawnCall{DrawnOperation: o, template: call.Template, fixed: !drawn}
		if drawn {
			if one.values, err = candid.DecodeTypes(call.Arg, o.Method.Types); err != nil {
				return nil, fmt.Errorf("arguments of %s: %w", o.Operation.Title, err)
			}
		}
		for _, v := range one.values {
			d.Learn(v)
		}
		all = append(all, one)
	}
	return all, nil
}

// madeCase is the calls of a case with their arguments.
type madeCase struct{ before, operations []harness.Operation }

// make encodes the arguments of a case.
func (k *drawnCase) make() (made madeCase, err error) {
	for _, calls := range []struct {
		from []drawnCall
		to   *[]harness.Operation
	}{{k.before, &made.before}, {k.operations, &made.operations}} {
		for i := range calls.from {
			o, err := calls.from[i].made()
			if err != nil {
				return made, err
			}
			*calls.to = append(*calls.to, o)
		}
	}
	return made, nil
}

// caseConfig returns the configuration of a case, in which all calls before the operations must be replied to. Its runs are
// not cut when the time is over. The caller calls done when the configuration is not used anymore.
func (c *Config) caseConfig(k *drawnCase) (round Config, done func(), err error) {
	made, err := k.make()
	if err != nil {
		return round, nil, err
	}
	round = c.caseOf(&made)
	round.Setup.Expired = nil
	round.Setup.Base, done, err = harness.Prepare(c.Setup.Base, len(c.Before), made.before)
	return round, done, err
}

// caseOf returns the configuration of a case before its first calls are made.
func (c *Config) caseOf(made *madeCase) Config {
	round := *c
	round.Drawn, round.Pool, round.Corpus, round.Keep, round.Passed = nil, nil, nil, nil, nil
	round.Setup.Operations, round.Before = made.operations, slices.Concat(c.Before, made.before)
	return round
}
