package rehearse

// Result is the result of a check.
type Result string

// Results. A check that does not apply is skipped. Noted is what the upgrade gives up, such as the way back, without
// being wrong.
const (
	Passed  Result = "passed"
	Skipped Result = "skipped"
	Noted   Result = "noted"
	Warning Result = "warning"
	Failed  Result = "failed"
)

// Check is one check of a rehearsal.
type Check struct {
	Name     string   `json:"check"`
	Result   Result   `json:"result"`
	Text     string   `json:"text"`               // what was compared, or why nothing was
	Findings []string `json:"findings,omitempty"` // what is wrong, and where
}

// Cost is what the upgrade took.
type Cost struct {
	Instructions Instructions `json:"instructions"`
	Cycles       string       `json:"cycles"`
	HeapBefore   uint64       `json:"heap_bytes_before"`
	HeapAfter    uint64       `json:"heap_bytes_after"`
	StableBefore uint64       `json:"stable_bytes_before"`
	StableAfter  uint64       `json:"stable_bytes_after"`
}

// Verdict is the result of a rehearsal.
type Verdict struct {
	Canister string  `json:"canister_id"`
	Result   Result  `json:"result"` // failed or warning if a check has it, else passed
	Checks   []Check `json:"checks"`
	Cost     *Cost   `json:"cost,omitempty"` // nil: the upgrade failed
}

// add adds a check. With findings, its result is that of a finding.
func (v *Verdict) add(name, text string, finding Result, findings ...string) {
	c := Check{Name: name, Result: Passed, Text: text, Findings: findings}
	if len(findings) > 0 {
		c.Result = finding
	}
	v.Checks = append(v.Checks, c)
	if c.Result == Failed || c.Result == Warning && v.Result == Passed {
		v.Result = c.Result
	}
}

// skip adds a check that does not apply.
func (v *Verdict) skip(name, why string) {
	v.Checks = append(v.Checks, Check{Name: name, Result: Skipped, Text: why})
}

// First returns the first finding of the checks with a result, "" for none.
func (v *Verdict) First(result Result) string {
	for _, c := range v.Checks {
		if c.Result == result {
			return c.Findings[0]
		}
	}
	return ""
}
