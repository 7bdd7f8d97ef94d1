package replica

import (
	"encoding/hex"
	"iter"
)

// The vocabulary of events: the names of the fields of an Event in golden traces, log lines and the control API. Values
// are those of the event: amounts of cycles, bytes, nanoseconds, instructions; ids in their textual form.
//
//	kind              what happened, EventKind.String
//	height, time      the round
//	subnet, canister  where
//	request           the ingress message that opened the context
//	source            where the message came from: task, response, ingress, request
//	entry             what ran: update, replicated query, reply callback, reject callback, …
//	task              of a task, the function that is exported
//	method            that was called
//	peer              the other canister: who called (a request), who was called (calls, responses)
//	context           the call context the message belongs to, or that makes the call
//	call              the call: of a request its sender's, otherwise the canister's own
//	origin            who the context answers to: ingress, canister, system
//	origin_caller     a user or a canister; origin_call: that canister's call
//	reentrant         the callee waits for this very call
//	instructions, cycles, bytes, deadline, dirty_pages, heap_bytes, stable_bytes
//	began_height, began_time    of a message
//	wall_ns           on the stopwatch the runner was given
//	cleanup_ran, logs
//	no_transform      of an outcall: its response is handed on as the server sent it
//	reject_code, error_code, reject_message
//	rule, held        the rule a message matched, and the number under which it is held
//	fault             what was done to it: held, dropped, replied, rejected, unknown, delayed, mocked
//	text              a line of a log; of a trap its backtrace; of an outcall the URL
//	status, outcall, messages, index    Number, as the kind has it
//	backtrace         the contexts that a trap's message answers to, itself first
var fields = [...]struct {
	name string
	of   func(e *Event) any // returns nil for nothing to say
}{
	{"height", func(e *Event) any { return said(e.Height) }},
	{"time", func(e *Event) any { return said(e.Time) }},
	{"subnet", func(e *Event) any { return texted(e.Kind != RoundEnded, e.Subnet.String) }},
	{"canister", func(e *Event) any { return texted(e.Kind.local(), e.Canister.String) }},
	{"request", func(e *Event) any {
		return texted(e.Request != RequestID{}, func() string { return hex.EncodeToString(e.Request[:]) })
	}},
	{"source", func(e *Event) any { return said(sourceNames[e.Source]) }},
	{"entry", func(e *Event) any { return texted(e.Kind.message(), e.Entry.String) }},
	{"task", func(e *Event) any { return texted(e.Task != 0, e.Task.String) }},
	{"method", func(e *Event) any { return said(e.Method) }},
	{"peer", func(e *Event) any {
		return texted(e.Call != 0 && e.Kind != ResponseLate || e.Rule != 0 || e.Held != 0 || e.Kind == CanisterMoved, e.Peer.String)
	}},
	{"context", func(e *Event) any { return said(uint64(e.Context)) }},
	{"call", func(e *Event) any { return said(uint64(e.Call)) }},
	{"origin", func(e *Event) any { return said(originNames[e.Origin.Kind]) }},
	{"origin_caller", func(e *Event) any { return texted(e.Origin.Kind != 0, e.Origin.Caller.String) }},
	{"origin_call", func(e *Event) any { return said(uint64(e.Origin.Call)) }},
	{"reentrant", func(e *Event) any { return said(e.Reentrant) }},
	{"instructions", func(e *Event) any { return said(e.Instructions) }},
	{"cycles", func(e *Event) any { return texted(!e.Cycles.IsZero(), e.Cycles.String) }},
	{"bytes", func(e *Event) any { return said(e.Bytes) }},
	{"deadline", func(e *Event) any { return said(e.Deadline) }},
	{"dirty_pages", func(e *Event) any { return said(e.DirtyPages) }},
	{"heap_bytes", func(e *Event) any { return said(e.Heap) }},
	{"stable_bytes", func(e *Event) any { return said(e.Stable) }},
	{"began_height", func(e *Event) any { return said(e.Began.Height) }},
	{"began_time", func(e *Event) any { return said(e.Began.Time) }},
	{"wall_ns", func(e *Event) any { return said(e.Wall) }},
	{"cleanup_ran", func(e *Event) any { return said(e.CleanupRan) }},
	{"logs", func(e *Event) any { return said(e.Logs) }},
	{"no_transform", func(e *Event) any { return said(e.NoTransform) }},
	{"reject_code", func(e *Event) any { return texted(e.Reject != nil, func() string { return e.Reject.Code.String() }) }},
	{"error_code", func(e *Event) any {
		return texted(e.Reject != nil && e.Reject.Error != 0, func() string { return e.Reject.Error.String() })
	}},
	{"reject_message", func(e *Event) any { return texted(e.Reject != nil, func() string { return e.Reject.Text }) }},
	{"rule", func(e *Event) any { return said(e.Rule) }},
	{"held", func(e *Event) any { return said(e.Held) }},
	{"fault", func(e *Event) any { return said(e.Fault) }},
	{"text", func(e *Event) any { return said(e.Text) }},
	{"backtrace", func(e *Event) any {
		if len(e.Callers) == 0 {
			return nil
		}
		return e.Callers
	}},
}

// numberNames has the name of Number, by kind.
var numberNames = map[EventKind]string{StatusChanged: "status", OutcallMade: "outcall", RoundEnded: "messages", Logged: "index"}

var (
	sourceNames = [...]string{"", "task", "response", "ingress", "request"}
	originNames = [...]string{"", "ingress", "canister", "system"}
)

// Fields returns the properties of an event except its kind: names of the vocabulary with numbers, booleans, texts and,
// for backtrace, []Caller. Zero values are left out, except Number.
func (e *Event) Fields() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i := range fields {
			if value := fields[i].of(e); value != nil && !yield(fields[i].name, value) {
				return
			}
		}
		if name := numberNames[e.Kind]; name != "" {
			yield(name, e.Number)
		}
	}
}

// message reports whether events of the kind are about a message that runs, or would have run.
func (k EventKind) message() bool {
	return k == MessageExecuted || k == MessageParked || k == MessageDropped || k == Trapped || k == CodeInstalled
}

// local reports whether events of the kind are about one canister.
func (k EventKind) local() bool { return k != RoundEnded && k != Certified }

// said returns a value, or nil if it is zero.
func said[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func texted(counts bool, text func() string) any {
	if !counts {
		return nil
	}
	return text()
}
