package management

import (
	"slices"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// buyCanisterLogs is fetch_canister_logs as canisters call it: they pay for the work with
// attached cycles. They must have attached what as many records would cost as an answer has
// room for.
func buyCanisterLogs(c *state.Command, a *logsArg) state.Answer {
	if c.State.Canisters.Get(a.Canister) == nil {
		return state.Fail(rejectNotFound(a.Canister))
	}
	fees := &c.State.Fees
	most := fees.ManagementWork(LogsInstructions + LogInstructions*(MaxLogsBytes/canister.LogRecordOverhead))
	if c.Attached.Less(most) {
		return state.Fail(rejectFee(c.Method, c.Attached, most))
	}
	answer := fetchCanisterLogs(c, a)
	if answer.Reject == nil {
		c.State.Totals.Pay(c.Accept(fees.ManagementWork(answer.Instructions)))
	}
	return answer
}

// fetchCanisterLogs is fetch_canister_logs as a query method: the records of the
// log that a filter lets through, oldest first. Where they are too many, the newest
// are given without a filter, and the oldest with one: who pages through a log goes
// on after the last it got.
func fetchCanisterLogs(c *state.Command, a *logsArg) state.Answer {
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

// lets reports whether a record passes the filter; all pass if there is none. Its ranges end before their end.
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
