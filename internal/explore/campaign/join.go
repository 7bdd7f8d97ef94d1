package campaign

import "slices"

// join makes one entry of all that was found about the same shortest run: a finding has the texts of the suspicions, and
// a largest value names the finding.
func (r *Report) join() {
	violations := r.Violations()
	sameRun := func(s *Schedule) *Finding {
		at := slices.IndexFunc(violations, func(f *Finding) bool { return f.Schedule.sameRun(s) })
		if at < 0 {
			return nil
		}
		return violations[at]
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f *Finding) bool {
		if !f.Suspicion {
			return false
		}
		with := sameRun(&f.Schedule)
		if with != nil {
			with.Also = append(with.Also, f.Text)
		}
		return with != nil
	})
	for i := range r.Largest {
		x := &r.Largest[i]
		if x.Found == nil {
			continue
		}
		if with := sameRun(&x.Found.Schedule); with != nil {
			x.Found, x.In = nil, with.Property
		}
	}
}

// sameRun reports whether two schedules are about the same run. One about all runs is about none.
func (s *Schedule) sameRun(o *Schedule) bool {
	return len(s.Operations) > 0 && slices.Equal(s.Operations, o.Operations) && slices.Equal(s.Deviations, o.Deviations) && slices.Equal(s.Plan, o.Plan)
}
