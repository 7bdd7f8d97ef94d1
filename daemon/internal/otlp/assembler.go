package otlp

import (
	"crypto/sha256"
	"encoding/binary"

	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// key is what an event names: a context of a subnet, a call of a canister, or an ingress message.
type key struct {
	of      principal.Principal // the subnet of a context, the caller of a call
	number  uint64
	call    bool
	request replica.RequestID
}

// assembler makes spans of the events of one instance, which it is shown in their order.
type assembler struct {
	scope string // of span ids: instance and generation, in which ids of contexts and calls are unique
	send  func(*tracepb.Span)
	known map[key]*open
	order []key // of known, the oldest first
	tasks []*open
}

func newAssembler(scope string, send func(*tracepb.Span)) *assembler {
	return &assembler{scope: scope, send: send, known: make(map[key]*open)}
}

func contextKey(e *replica.Event) key { return key{of: e.Subnet, number: uint64(e.Context)} }

func callKey(caller principal.Principal, call intercanister.CallID) key {
	return key{of: caller, number: uint64(call), call: true}
}

// take makes of an event what follows from it.
func (a *assembler) take(r *driver.Recorded) {
	e := &r.Event
	switch e.Kind {
	case replica.IngressReceived:
		a.ingress(e, r.At)
	case replica.IngressAnswered:
		if o := a.known[key{request: e.Request}]; o != nil {
			a.finish(o, e.Reject, r.At)
			delete(a.known, key{request: e.Request})
		}
	case replica.CallRegistered:
		a.registered(e, r.At)
	case replica.CallSettled:
		a.settled(e, r.At)
	case replica.MessageExecuted, replica.CodeInstalled, replica.MessageDropped:
		a.executed(e, r.At)
	case replica.RoundEnded:
		a.endTasks()
	case replica.Certified:
	default:
		if o := a.find(e); o != nil && o.span != nil {
			o.note(e, r.At)
		}
	}
}

// ingress begins the trace of a message of a user.
func (a *assembler) ingress(e *replica.Event, at int64) {
	o := begin(traceID(e.Request[:16]), a.id(key{request: e.Request}), nil, tracepb.Span_SPAN_KIND_SERVER, e, at)
	o.set("request", requestText(e.Request))
	o.set("method", e.Method)
	o.set("canister", e.Canister.String())
	o.set("subnet", e.Subnet.String())
	o.setInt("bytes", uint64(e.Bytes))
	a.keep(key{request: e.Request}, o)
}

// registered begins the span of a call, under the message or call that its caller was serving.
func (a *assembler) registered(e *replica.Event, at int64) {
	k := callKey(e.Canister, e.Call)
	id := a.id(k)
	var trace traceID
	var above []byte
	if parent := a.known[contextKey(e)]; parent != nil {
		trace, above = parent.trace, parent.id[:]
		parent.pending++
		parent.calls++
	} else {
		trace = a.trace(k) // the beginning is not recorded: the call is a root
	}
	o := begin(trace, id, above, tracepb.Span_SPAN_KIND_CLIENT, e, at)
	o.set("method", e.Method)
	o.set("canister", e.Peer.String())
	o.set("peer", e.Canister.String())
	o.setInt("call", uint64(e.Call))
	o.set("cycles_attached", e.Cycles.String())
	o.setInt("bytes", uint64(e.Bytes))
	if e.Deadline != 0 {
		o.setInt("deadline", e.Deadline)
	}
	if e.Reentrant {
		o.set("reentrant", "true")
	}
	a.keep(k, o)
}

// settled ends the span of a call.
func (a *assembler) settled(e *replica.Event, at int64) {
	k := callKey(e.Canister, e.Call)
	o := a.known[k]
	if o == nil || o.span == nil {
		return
	}
	o.set("cycles_refunded", e.Cycles.String())
	a.finish(o, e.Reject, at)
}

// executed enters an execution of a message, or that it was dropped, into the span of the call that it serves.
func (a *assembler) executed(e *replica.Event, at int64) {
	o := a.find(e)
	if o == nil && e.Source == intercanister.SourceTasks && e.Context != 0 {
		o = a.task(e, at)
	}
	if o == nil {
		return
	}
	if e.Context != 0 && a.known[contextKey(e)] == nil {
		a.keep(contextKey(e), o)
	}
	if e.Source == intercanister.SourceResponses {
		o.pending--
	}
	if o.span == nil {
		return
	}
	if e.Kind != replica.MessageDropped {
		o.execute(e, at)
	}
	o.note(e, at)
}

// task begins the trace of a task. Its only event so far is its end.
func (a *assembler) task(e *replica.Event, at int64) *open {
	o := begin(a.trace(contextKey(e)), a.id(contextKey(e)), nil, tracepb.Span_SPAN_KIND_INTERNAL, e, at-e.Wall)
	o.task, o.heartbeat = true, e.Task == intercanister.Heartbeat
	o.set("task", e.Task.String())
	o.set("canister", e.Canister.String())
	o.set("subnet", e.Subnet.String())
	if e.Reject != nil {
		o.set("reject_message", e.Reject.Text)
		o.span.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: clipped(e.Reject.Text)}
	}
	a.tasks = append(a.tasks, o)
	return o
}

// endTasks ends the spans of tasks that wait for no callback.
func (a *assembler) endTasks() {
	waiting := a.tasks[:0]
	for _, o := range a.tasks {
		switch {
		case o.pending > 0 && len(a.tasks) < maxOpen:
			waiting = append(waiting, o)
		case o.heartbeat && o.calls == 0 && o.span.Status == nil:
			o.span = nil // it runs in every round
		default:
			a.finish(o, nil, o.last)
		}
	}
	clear(a.tasks[len(waiting):])
	a.tasks = waiting
}

// find is the span an event is about: the one of its context, or of the message or call that opens the context.
func (a *assembler) find(e *replica.Event) *open {
	if e.Context != 0 {
		if o := a.known[contextKey(e)]; o != nil {
			return o
		}
	}
	if e.Request != (replica.RequestID{}) && e.Origin.Kind != intercanister.FromCanister {
		if o := a.known[key{request: e.Request}]; o != nil {
			return o
		}
	}
	if e.Call == 0 {
		return nil
	}
	if o := a.known[callKey(e.Peer, e.Call)]; o != nil && e.Source == intercanister.SourceRequests {
		return o
	}
	return a.known[callKey(e.Canister, e.Call)]
}

// finish sends a span.
func (a *assembler) finish(o *open, reject *intercanister.Reject, at int64) {
	if o.span != nil {
		a.send(o.end(reject, at))
	}
}

// keep remembers a span under a key.
func (a *assembler) keep(k key, o *open) {
	if _, again := a.known[k]; !again {
		a.order = append(a.order, k)
	}
	a.known[k] = o
	for len(a.order) > maxOpen {
		delete(a.known, a.order[0])
		a.order = a.order[1:]
	}
}

// id is a span id that no other span of any instance has.
func (a *assembler) id(k key) (id spanID) {
	sum := a.hash(k)
	copy(id[:], sum[:])
	return id
}

// trace is the id of a trace that no user began.
func (a *assembler) trace(k key) (id traceID) {
	sum := a.hash(k)
	copy(id[:], sum[len(spanID{}):])
	return id
}

func (a *assembler) hash(k key) [sha256.Size]byte {
	data := append([]byte(a.scope), k.request[:]...)
	data = append(data, k.of.Bytes()...)
	data = binary.BigEndian.AppendUint64(data, k.number)
	if k.call {
		data = append(data, 1)
	}
	return sha256.Sum256(data)
}
