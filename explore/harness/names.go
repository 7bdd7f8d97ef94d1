package harness

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/explore/search"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/sched"
)

// The parts of a call.
const (
	requestPart = ".request"
	replyPart   = ".reply"
	slicePart   = ".slice"
	againPart   = ".again"
)

func callName(context string, ordinal int) string { return context + "/" + strconv.Itoa(ordinal) }

// RequestOf is the name of the request of a call, ReplyOf of its answer.
func RequestOf(call string) string { return call + requestPart }

// ReplyOf is the name of the answer to a call.
func ReplyOf(call string) string { return call + replyPart }

// AgainOf is the name of the second message of an operation.
func AgainOf(operation string) string { return operation + againPart }

// OperationOf is the operation that a message or a call is a part of, whichever of its messages began it.
func OperationOf(move string) string { return strings.TrimSuffix(TaskOf(move), againPart) }

// CallOf is the call that a message belongs to, "" if it is not a request or an answer.
func CallOf(move string) string {
	for _, part := range []string{requestPart, replyPart} {
		if call, found := strings.CutSuffix(move, part); found {
			return call
		}
	}
	return ""
}

// contextOf is the call context that a message is executed in.
func contextOf(move string) string {
	if call, found := strings.CutSuffix(move, replyPart); found {
		return call[:strings.LastIndexByte(call, '/')]
	}
	return strings.TrimSuffix(move, requestPart)
}

// executedIn is the call context that a message or a slice of it is executed in.
func executedIn(move string) string {
	context := contextOf(move)
	if i := strings.Index(context, slicePart); i >= 0 {
		context = contextOf(context[:i])
	}
	return context
}

// callerOf is the call context that made the call of a request or an answer, "" if there is none.
func callerOf(move string) string {
	call := CallOf(move)
	return call[:max(0, strings.LastIndexByte(call, '/'))]
}

// TaskOf is the operation, or the task of the system, that a message or a call is a part of.
func TaskOf(move string) string {
	if i := strings.IndexByte(move, '/'); i >= 0 {
		return move[:i]
	}
	if i := strings.Index(move, slicePart); i >= 0 {
		return move[:i]
	}
	return move
}

// taskNames are the parts of names for tasks of the system.
var taskNames = map[intercanister.Task]string{
	intercanister.GlobalTimer: "timer", intercanister.Heartbeat: "heartbeat", intercanister.LowMemory: "low-memory",
}

// move is a delivery as package search sees it.
func (r *Run) move(a *replica.Ahead) search.Move {
	m := search.Move{Receiver: ReceiverOf(a.Receiver)}
	switch a.Move.Kind {
	case sched.Ingress:
		m.Name = r.harness.ops[a.Request]
		if m.Name == "" {
			m.Name = fmt.Sprintf("message-%x", a.Request[:4])
		}
	case sched.Request:
		c := r.callOf(callKey{a.Sender, a.Call})
		m.Name, m.Cause = c.request, c.made
	case sched.Response:
		c := r.callOf(callKey{a.Receiver, a.Call})
		m.Name, m.Cause = c.reply, c.settled
		if m.Cause == "" {
			m.Cause = c.request
		}
	case sched.Task:
		task := taskNames[intercanister.Task(a.Move.Number)]
		key := r.harness.setup.NameOf(a.Receiver) + ":" + task
		m.Name = fmt.Sprintf("%s%d", key, r.tasks[key]+1)
	case sched.Resume:
		p := r.parked[a.Receiver]
		m.Name, m.Cause = fmt.Sprintf("%s%s%d", p.move, slicePart, p.slices+1), p.last
	}
	m.Task = TaskOf(m.Name)
	if a.Receiver.Len() == 0 { // the management canister
		m.Receiver = search.All
	}
	return m
}

// callOf is what is known of a call; one that was made before the run has a name of its own.
func (r *Run) callOf(key callKey) *callState {
	if c := r.known(key); c != nil {
		return c
	}
	name := fmt.Sprintf("earlier/%s-%d", r.harness.setup.NameOf(key.caller), key.call)
	return &callState{request: RequestOf(name), reply: ReplyOf(name)}
}

// known is what is known of a call that was made in the run and is not over, nil for others.
func (r *Run) known(key callKey) *callState {
	for i := range r.calls {
		if r.calls[i].key == key {
			return &r.calls[i]
		}
	}
	return nil
}
