package otlp

import (
	"encoding/hex"
	"math"
	"strings"

	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
)

// prefix begins the names of attributes; after it comes the name of the field in the vocabulary of events.
const prefix = "canisterd."

type (
	traceID [16]byte
	spanID  [8]byte
)

// open is a message, call or task whose span is not complete. Of one that was sent, the ids remain for calls that its
// canister makes later.
type open struct {
	trace        traceID
	id           spanID
	span         *tracepb.Span // nil once it was sent
	task         bool
	heartbeat    bool
	pending      int // of a task: calls without a callback yet
	calls        int
	executions   int
	last         int64 // when it executed last, by the wall clock
	instructions uint64
	paid         cycles.Amount
	dirtyPages   int
}

// begin makes a span that begins now.
func begin(trace traceID, id spanID, parent []byte, kind tracepb.Span_SpanKind, e *replica.Event, at int64) *open {
	name := e.Method
	if name == "" {
		name = e.Task.String()
	}
	o := &open{trace: trace, id: id, last: at}
	o.span = &tracepb.Span{
		TraceId: trace[:], SpanId: id[:], ParentSpanId: parent, Name: clipped(name), Kind: kind, StartTimeUnixNano: uint64(at),
	}
	o.setInt("time", e.Time)
	o.setInt("height", e.Height)
	return o
}

func (o *open) set(name, value string) {
	o.span.Attributes = append(o.span.Attributes, text(prefix+name, value))
}

func (o *open) setInt(name string, value uint64) {
	o.span.Attributes = append(o.span.Attributes, number(prefix+name, value))
}

// note adds an event to the span, with the fields of the vocabulary.
func (o *open) note(e *replica.Event, at int64) {
	if len(o.span.Events) >= maxSpanEvents {
		o.span.DroppedEventsCount++
		return
	}
	o.span.Events = append(o.span.Events, &tracepb.Span_Event{TimeUnixNano: uint64(at), Name: e.Kind.String(), Attributes: attributes(e)})
}

// execute counts an execution of a message that serves the call.
func (o *open) execute(e *replica.Event, at int64) {
	o.executions++
	o.instructions += e.Instructions
	o.paid = o.paid.Add(e.Cycles)
	o.dirtyPages += e.DirtyPages
	o.last = at
}

// end completes the span.
func (o *open) end(reject *intercanister.Reject, at int64) *tracepb.Span {
	if o.executions > 0 {
		o.setInt("messages", uint64(o.executions))
		o.setInt("instructions", o.instructions)
		o.set("cycles", o.paid.String())
		o.setInt("dirty_pages", uint64(o.dirtyPages))
	}
	if reject != nil {
		o.set("reject_code", reject.Code.String())
		if reject.Error != 0 {
			o.set("error_code", reject.Error.String())
		}
		o.set("reject_message", reject.Text)
		o.span.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: clipped(reject.Text)}
	}
	span := o.span
	span.EndTimeUnixNano = uint64(max(at, int64(span.StartTimeUnixNano)))
	o.span = nil
	return span
}

// attributes are the fields of an event.
func attributes(e *replica.Event) (all []*commonpb.KeyValue) {
	for name, value := range e.Fields() {
		name = prefix + name
		switch value := value.(type) {
		case uint64:
			all = append(all, number(name, value))
		case int:
			all = append(all, number(name, uint64(value)))
		case int64:
			all = append(all, number(name, uint64(value)))
		case bool:
			all = append(all, &commonpb.KeyValue{Key: name, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: value}}})
		case string:
			all = append(all, text(name, value))
		case []replica.Caller:
			all = append(all, text(name, backtrace(value)))
		}
	}
	if functions := e.Functions(); len(functions) > 0 {
		all = append(all, text(stacktrace, stackOf(functions)))
	}
	return all
}

// stacktrace is the attribute of OpenTelemetry's conventions for where an exception was.
const stacktrace = "exception.stacktrace"

// stackOf has a line for each function of a trap, the innermost first, with its source line if that is known.
func stackOf(functions []replica.Frame) string {
	lines := make([]string, len(functions))
	for i := range functions {
		lines[i] = functions[i].String()
	}
	return strings.Join(lines, "\n")
}

// backtrace is a backtrace across canisters, the innermost context first.
func backtrace(callers []replica.Caller) string {
	var lines strings.Builder
	for i, c := range callers {
		if i > 0 {
			lines.WriteString(" < ")
		}
		lines.WriteString(c.Canister.String() + "." + c.Method)
	}
	return lines.String()
}

func text(name, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: name, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: clipped(value)}}}
}

// number is an attribute of a whole number. OTLP has signed ones only.
func number(name string, value uint64) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: name, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(min(value, math.MaxInt64))}}}
}

// clipped is a text as it may be sent: valid UTF-8, and not too long.
func clipped(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// requestText is a request id as clients write it.
func requestText(id replica.RequestID) string { return hex.EncodeToString(id[:]) }
