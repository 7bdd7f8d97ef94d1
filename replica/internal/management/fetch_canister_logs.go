package management

import (
	"slices"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// sendCanisterLogs implements fetch_canister_logs for canisters. It is free: attached cycles come back
// (dfinity/ic#10687, #10879).
func sendCanisterLogs(c *state.ManagementCall, a *logsArg) state.Answer {
	if c.State.Canisters.Get(a.Canister) == nil {
		return state.Fail(rejectNotFound(a.Canister))
	}
	return fetchCanisterLogs(c, a)
}

// fetchCanisterLogs implements fetch_canister_logs as a query method: the records of the log that pass a filter, oldest
// first. If there are too many, it returns the newest without a filter, and the oldest with one: a client that pages
// through a log continues after its last record.
func fetchCanisterLogs(c *state.ManagementCall, a *logsArg) state.Answer {
	r := c.State.Canisters.Get(a.Canister)
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

// logsOf returns the records, and the number of bytes of their content.
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

// lets reports whether a record passes the filter; all pass if there is none. The ends of its ranges are exclusive.
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
