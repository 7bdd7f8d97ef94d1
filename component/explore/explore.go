package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/canisterd/canisterd/internal/explore/search"
)

// Options of an exploration. The zero value has defaults.
type Options struct {
	Runs int    // at most; 0: 10,000
	Seed uint64 // of the orders that are drawn
	Stop int    // the number of findings after which the exploration ends; 0: 10
}

// Report is the result of an exploration.
type Report struct {
	Runs     int  // that were made to find something; those that shorten schedules are not counted
	Complete bool // all orders were run
	Stopped  int  // runs that were stopped since they made 10,000 choices
	Findings []Finding
}

// Finding is an error of a program.
type Finding struct {
	Err      error
	Schedule Schedule // the shortest one that was found
}

// String describes the report.
func (r *Report) String() string {
	text := ""
	for _, f := range r.Findings {
		text += fmt.Sprintf("%v\n%v", f.Err, f.Schedule)
	}
	all := "Not all orders were run."
	if r.Complete {
		all = "All orders were run."
	}
	findings := fmt.Sprintf("%d findings", len(r.Findings))
	if len(r.Findings) == 1 {
		findings = "1 finding"
	}
	return text + fmt.Sprintf("%d runs, %s. %s", r.Runs, findings, all)
}

// exploration is one call of Explore.
type exploration struct {
	Options
	Report
	ctx     context.Context
	program Program
}

// Explore runs a program in many orders, if possible in all. The error is that of the context, or says that the program is not
// deterministic; findings are no error.
func Explore(ctx context.Context, program Program, options Options) (*Report, error) {
	e := &exploration{Options: options, ctx: ctx, program: program}
	if e.Options.Runs == 0 {
		e.Options.Runs = defaultRuns
	}
	if e.Stop == 0 || e.Stop > maxFindings {
		e.Stop = maxFindings
	}
	if err := e.checkDeterministic(); err != nil {
		return nil, err
	}
	e.Complete = e.enumerate((e.Options.Runs + 1) / 2)
	if !e.Complete && ctx.Err() == nil && len(e.Findings) < e.Stop {
		e.draw()
	}
	for n := range e.Findings {
		e.shorten(&e.Findings[n])
	}
	return &e.Report, ctx.Err()
}

// checkDeterministic makes two runs in the default order, which must be the same.
func (e *exploration) checkDeterministic() error {
	first, err := execute(e.ctx, e.program, follow(nil))
	second, again := execute(e.ctx, e.program, follow(nil))
	if !slices.Equal(first.made, second.made) || textOf(err) != textOf(again) {
		return fmt.Errorf("two runs in the default order differ: the program must depend on the choices of its run alone (%d choices and the error %q, then %d and %q)",
			len(first.made), textOf(err), len(second.made), textOf(again))
	}
	return nil
}

// textOf gives the text that tells errors apart.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// run makes a run. It says whether the exploration goes on.
func (e *exploration) run(pick func(moves []search.Move) int) (r *Run, more bool) {
	r, err := execute(e.ctx, e.program, pick)
	if e.ctx.Err() != nil {
		return r, false
	}
	e.Report.Runs++
	switch {
	case errors.Is(err, errTooLong):
		e.Stopped++
	case err != nil && !slices.ContainsFunc(e.Findings, func(f Finding) bool { return textOf(f.Err) == textOf(err) }):
		e.Findings = append(e.Findings, Finding{err, scheduleOf(r.made)})
	}
	return r, len(e.Findings) < e.Stop
}

// enumerate makes runs with all sequences of choices, but at most a number of them. It says whether these were all.
func (e *exploration) enumerate(limit int) bool {
	var prefix []choice
	for range limit {
		r, more := e.run(follow(prefix))
		if !more || r.stopped {
			return false
		}
		last := len(r.made) - 1
		for last >= 0 && r.made[last].option == r.made[last].all-1 {
			last--
		}
		if last < 0 {
			return true
		}
		prefix = append(r.made[:last:last], r.made[last])
		prefix[last].option++
	}
	return false
}

// draw makes the runs that are left in orders that strategies draw.
func (e *exploration) draw() {
	profiler := &search.Profiler{Picker: search.FIFO}
	if _, err := execute(e.ctx, e.program, profiler.Pick); e.ctx.Err() != nil || errors.Is(err, errTooLong) {
		return
	}
	strategy := search.Mixed()
	for more := true; more && e.Report.Runs < e.Options.Runs; {
		chance := rand.New(rand.NewPCG(e.Seed, uint64(e.Report.Runs)))
		_, more = e.run(strategy.Begin(chance, &profiler.Profile).Pick)
	}
}

// shorten takes choices of a finding back as long as its error stays.
func (e *exploration) shorten(f *Finding) {
	best := f.Schedule.choices()
	runs := 0
	for again := true; again; {
		again = false
		for at := len(best) - 1; at >= 0; at-- {
			if at >= len(best) || best[at].option == 0 {
				continue
			}
			if runs++; runs > maxShortenRuns || e.ctx.Err() != nil {
				return
			}
			less := slices.Clone(best)
			less[at].option = 0
			r, err := execute(e.ctx, e.program, follow(less))
			if textOf(err) == textOf(f.Err) && deviations(r.made) < deviations(best) {
				best, again = r.made, true
				f.Err, f.Schedule = err, scheduleOf(best)
			}
		}
	}
}
