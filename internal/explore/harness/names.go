package harness

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/replica"
)

// The parts of a call.
const (
	requestPart = ".request"
	replyPart   = ".reply"
	slicePart   = ".slice"
	againPart   = ".again"
)

func callName(context string, ordinal int) string { return context + "/" + strconv.Itoa(ordinal) }

// RequestOf returns the name of the request of a call.
func RequestOf(call string) string { return call + requestPart }

// ReplyOf returns the name of the answer to a call.
func ReplyOf(call string) string { return call + replyPart }

// AgainOf returns the name of the second message of an operation that is sent twice.
func AgainOf(operation string) string { return operation + againPart }

// OperationOf returns the operation that a message or a call is part of, also if the second message began it.
func OperationOf(move string) string { return strings.TrimSuffix(TaskOf(move), againPart) }

// CallOf returns the call of a request or an answer, "" for other messages.
func CallOf(move string) string {
	for _, part := range []string{requestPart, replyPart} {
		if call, found := strings.CutSuffix(move, part); found {
			return call
		}
	}
	return ""
}

// contextOf returns the call context that a message is executed in.
func contextOf(move string) string {
	if call, found := strings.CutSuffix(move, replyPart); found {
		return call[:strings.LastIndexByte(call, '/')]
	}
	return strings.TrimSuffix(move, requestPart)
}

// executedIn returns the call context that a message or a slice of one is executed in.
func executedIn(move string) string {
	context := contextOf(move)
	if i := strings.Index(context, slicePart); i >= 0 {
		context = contextOf(context[:i])
	}
	return context
}

// callerOf returns the call context that made the call of a request or an answer, "" for other messages.
func callerOf(move string) string {
	call := CallOf(move)
	return call[:max(0, strings.LastIndexByte(call, '/'))]
}

// TaskOf returns the operation or the system task that a message or a call is part of.
func TaskOf(move string) string {
	if i := strings.IndexByte(move, '/'); i >= 0 {
		return move[:i]
	}
	if i := strings.Index(move, slicePart); i >= 0 {
		return move[:i]
	}
	return move
}

// taskNames are the names of system tasks in the names of messages.
var taskNames = map[intercanister.Task]string{
	intercanister.GlobalTimer: "timer", intercanister.Heartbeat: "heartbeat", intercanister.LowMemory: "low-memory",
}

// move converts a delivery for package search.
func (r *Run) move(a *replica.Delivery) search.Move {
	m := search.Move{Receiver: ReceiverOf(a.Receiver)}
	switch a.Move.Kind {
	case replica.MoveIngress:
		m.Name = r.harness.ops[a.Request]
		if m.Name == "" {
			m.Name = fmt.Sprintf("message-%x", a.Request[:4])
		}
	case replica.MoveRequest:
		c := r.callOf(callKey{a.Sender, a.Call})
		m.Name, m.Cause = c.request, c.made
	case replica.MoveResponse:
		c := r.callOf(callKey{a.Receiver, a.Call})
		m.Name, m.Cause = c.reply, c.settled
		if m.Cause == "" {
			m.Cause = c.request
		}
	case replica.MoveTask:
		task := taskNames[intercanister.Task(a.Move.Number)]
		key := r.harness.setup.NameOf(a.Receiver) + ":" + task
		m.Name = fmt.Sprintf("%s%d", key, r.tasks[key]+1)
	case replica.MoveResume:
		p := r.parked[a.Receiver]
		m.Name, m.Cause = fmt.Sprintf("%s%s%d", p.move, slicePart, p.slices+1), p.last
	}
	m.Task = TaskOf(m.Name)
	if a.Receiver.Len() == 0 { // the management canister
		m.Receiver = search.All
	}
	return m
}

// callOf returns the state of a call. A call that was made before the run gets a name of its own.
func (r *Run) callOf(key callKey) *callState {
	if c := r.findCall(key); c != nil {
		return c
	}
	name := fmt.Sprintf("earlier/%s-%d", r.harness.setup.NameOf(key.caller), key.call)
	return &callState{request: RequestOf(name), reply: ReplyOf(name)}
}

// findCall returns the state of an open call that was made in the run, nil for others.
func (r *Run) findCall(key callKey) *callState {
	for i := range r.calls {
		if r.calls[i].key == key {
			return &r.calls[i]
		}
	}
	return nil
}
