package campaign

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/argument"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
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
}

// DrawnOperation is an operation with what its arguments are drawn from. Its title has ? in place of the arguments.
type DrawnOperation struct {
	Operation harness.Operation
	Method    argument.Method
}

// drawnCall is an operation of a case.
type drawnCall struct {
	DrawnOperation
	values []candid.Value
	fixed  bool // the arguments are those of the operation
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

// runDrawn runs an exploration with drawn arguments: a short exploration for each case, with one report.
func runDrawn(full *Config) (*Report, error) {
	templates := *full
	templates.Setup.Operations = slices.Clone(full.Setup.Operations)
	for i := range full.Drawn.Any {
		templates.Setup.Operations = append(templates.Setup.Operations, full.Drawn.Any[i].Operation)
	}
	report := newReport(&templates)
	known := full.present()
	for number := 0; number < full.Runs && report.Runs < full.Runs; number++ {
		if full.Expired() || full.Stop > 0 && report.violations() >= full.Stop {
			break
		}
		k, rows, err := full.drawCase(number, known)
		if err != nil {
			return nil, err
		}
		if err := full.exploreCase(k, rows, number, report); err != nil {
			return nil, err
		}
	}
	if report.Runs == 0 {
		return nil, errors.New("no case was run: the time was over, or the network accepted none of the drawn operations")
	}
	report.rows, report.Classes, report.Exhausted, report.ExhaustedFaults = nil, 0, false, false
	report.finish()
	report.join()
	return report, nil
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

// drawCase draws a case. Rows are the rows of its operations in the table of the report.
func (c *Config) drawCase(number int, known []candid.Value) (k drawnCase, rows []int, err error) {
	d := &argument.Drawer{Chance: rand.New(rand.NewPCG(c.Seed, drawnStream+uint64(number))), Principals: c.Drawn.Principals}
	for _, v := range known {
		d.Learn(v)
	}
	draw := func(o DrawnOperation) drawnCall {
		values, drawErr := d.Draw(&o.Method)
		if drawErr != nil {
			err = fmt.Errorf("drawing arguments of %s: %w", o.Operation.Title, drawErr)
		}
		return drawnCall{DrawnOperation: o, values: values}
	}
	anyOf := func() int { return d.Chance.IntN(len(c.Drawn.Any)) }
	if len(c.Drawn.Any) > 0 {
		for range d.Chance.IntN(maxDrawnCalls + 1) {
			k.before = append(k.before, draw(c.Drawn.Any[anyOf()]))
		}
	}
	for i, o := range c.Setup.Operations {
		rows = append(rows, i)
		if method, drawn := c.Drawn.Operations[i]; drawn {
			k.operations = append(k.operations, draw(DrawnOperation{o, method}))
			continue
		}
		k.operations = append(k.operations, drawnCall{DrawnOperation: DrawnOperation{Operation: o}, fixed: true})
	}
	if len(c.Drawn.Any) > 0 {
		least := max(0, 1-len(k.operations))
		for range least + d.Chance.IntN(3-least) {
			at := anyOf()
			rows = append(rows, len(c.Setup.Operations)+at)
			k.operations = append(k.operations, draw(c.Drawn.Any[at]))
		}
	}
	return k, rows, err
}

// caseConfig returns the configuration of a case. If not all calls must be replied to, it removes the others from the case.
// The caller calls done when the configuration is not used anymore.
func (c *Config) caseConfig(k *drawnCase, all bool) (round Config, done func(), err error) {
	round = *c
	round.Drawn, round.Setup.Operations, round.Before = nil, nil, slices.Clone(c.Before)
	var before []harness.Operation
	for i := range k.before {
		o, err := k.before[i].made()
		if err != nil {
			return round, nil, err
		}
		before = append(before, o)
	}
	for i := range k.operations {
		o, err := k.operations[i].made()
		if err != nil {
			return round, nil, err
		}
		round.Setup.Operations = append(round.Setup.Operations, o)
	}
	if all {
		round.Setup.Base, done, err = harness.Prepare(c.Setup.Base, before)
		round.Before = append(round.Before, before...)
		return round, done, err
	}
	var replied []int
	round.Setup.Base, replied, done = harness.PrepareSome(c.Setup.Base, before)
	var kept []drawnCall
	for _, i := range replied {
		kept, round.Before = append(kept, k.before[i]), append(round.Before, before[i])
	}
	k.before = kept
	return round, done, nil
}

// exploreCase explores a case: most cases briefly, and some with all phases. It adds the runs to the report, and shortens
// what it finds.
func (c *Config) exploreCase(k drawnCase, rows []int, number int, report *Report) error {
	round, done, err := c.caseConfig(&k, false)
	if err != nil {
		return err
	}
	defer done()
	long := number%longCases == longCases-1
	round.Runs = report.Runs + shortCase
	if long {
		round.Runs = report.Runs + longCase
	}
	round.Runs = min(round.Runs, c.Runs)
	w, err := NewWorker(&round)
	if err != nil {
		return nil // the network does not accept these arguments: canister_inspect_message, say
	}
	defer w.Close()
	own := newGoroutines(w, round.Workers)
	defer own.close()
	round.Pool = own
	found := len(report.Findings)
	report.rows, report.Classes, report.Exhausted = rows, 0, false
	e := &exploration{Config: &round, worker: w, baseline: w.Baseline(), report: report}
	if long {
		err = e.phases()
	} else {
		err = e.briefly()
	}
	if err != nil {
		return err
	}
	for _, f := range report.Findings[found:] {
		if err := c.simplify(k, &round, f); err != nil {
			return err
		}
	}
	return nil
}

// briefly runs the operations in FIFO order, and then in drawn orders.
func (e *exploration) briefly() error {
	e.add("fifo", e.worker.baseline.run(e.worker.harness, nil, search.FIFO))
	e.findFaults(e.worker.baseline.fifo, true)
	return e.draw(false)
}
