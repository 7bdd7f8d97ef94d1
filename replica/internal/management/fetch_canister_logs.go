package management

import (
	"slices"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// fetchCanisterLogs is fetch_canister_logs, a query method: the records of the
// log that a filter lets through, oldest first. Where they are too many, the newest
// are given without a filter, and the oldest with one: who pages through a log goes
// on after the last it got.
func fetchCanisterLogs(c *state.Command, a *logsArg) state.Answer {
	r := c.State.Residents.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectNotFoundQuery(a.Canister))
	}
	if reject := mayReadLogs(r, c.Caller); reject != nil {
		return state.Fail(reject)
	}
	out, bytes := logsOf(&r.Canister.Logs, a.Filter)
	answer := reply(logsResult{out})
	answer.Instructions = LogsInstructions + LogInstructions*uint64(len(out)) + bytes
	return answer
}

// logsOf are the records to return, and the bytes of their content.
func logsOf(logs *canister.Log, filter *logsFilter) (out []logRecord, bytes uint64) {
	out = []logRecord{}
	size := 0
	for i := range logs.Len() {
		if filter == nil {
			i = logs.Len() - 1 - i
		}
		l := logs.At(i)
		if !filter.lets(&l) {
			continue
		}
		if size += canister.LogRecordOverhead + len(l.Content); size > MaxLogsBytes {
			break
		}
		bytes += uint64(len(l.Content))
		out = append(out, logRecord{l.Index, l.Time, l.Content})
	}
	if filter == nil {
		slices.Reverse(out)
	}
	return out, bytes
}

// lets reports whether a record passes the filter; all pass where there is none. Its
// ranges end before their end.
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
