package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// fetchCanisterLogs is fetch_canister_logs, a query method: the records of the
// log that a filter lets through, oldest first.
func fetchCanisterLogs(c *state.Command, a *logsArg) state.Answer {
	r := c.State.Residents.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectNotFoundIngress(a.Canister))
	}
	if reject := mayReadLogs(r, c.Caller); reject != nil {
		return state.Fail(reject)
	}
	logs := &r.Canister.Logs
	out := logsResult{}
	for i := range logs.Len() {
		if l := logs.At(i); a.Filter.lets(&l) {
			out.Records = append(out.Records, logRecord{l.Index, l.Time, l.Content})
		}
	}
	return reply(out)
}

// lets reports whether a record passes the filter; all pass where there is none.
func (f *logsFilter) lets(l *canister.LogRecord) bool {
	switch {
	case f == nil:
		return true
	case f.ByIndex != nil:
		return f.ByIndex.Start <= l.Index && l.Index < f.ByIndex.End
	case f.ByTime != nil:
		return f.ByTime.Start <= l.Time && l.Time < f.ByTime.End
	}
	return true
}
