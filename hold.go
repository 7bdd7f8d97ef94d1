package canisterd

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// Stage selects the message of a call.
type Stage uint8

// The stages.
const (
	Request  Stage = iota // the call of a canister, on its way to the callee
	Response              // the answer, on its way to the caller
	Ingress               // the message of a user
)

var stages = [...]replica.MessageKind{Request: replica.KindRequest, Response: replica.KindResponse, Ingress: replica.KindIngress}

// Calls selects the messages that match all of its fields. The zero value selects all calls between canisters.
type Calls struct {
	Stage          Stage
	Caller, Callee *Canister // nil: any
	Method         string    // * matches any text; "": any
	Skip           uint64    // this many messages pass first
	Times          uint64    // for this many messages; 0: for all
}

func (c Calls) match() replica.Match {
	m := replica.Match{Kind: stages[c.Stage], Method: c.Method, Skip: c.Skip, Times: c.Times}
	if c.Caller != nil {
		m.Caller = &c.Caller.id
	}
	if c.Callee != nil {
		m.Callee = &c.Callee.id
	}
	return m
}

// Rule intercepts messages until it is released.
type Rule struct {
	network *Network
	id      uint64
}

// Message is a message that a rule holds.
type Message struct {
	Caller, Callee principal.Principal
	Method         string
	id             uint64
}

// Hold holds matching messages until the rule is released.
func (n *Network) Hold(ctx context.Context, calls Calls) (*Rule, error) {
	return n.rule(ctx, calls, replica.Action{Kind: replica.ActHold})
}

// RejectCalls answers matching calls with a reject (CANISTER_REJECT), in place of the callee.
func (n *Network) RejectCalls(ctx context.Context, calls Calls, message string) (*Rule, error) {
	return n.rule(ctx, calls, replica.Action{Kind: replica.ActReject, Reject: rejectOf(message)})
}

// AnswerCalls answers matching calls with results, in place of the callee: Go values, encoded with the result types of
// calls.Method in the interface of calls.Callee, or one [Text] or [Bytes].
func (n *Network) AnswerCalls(ctx context.Context, calls Calls, results ...any) (*Rule, error) {
	reply, err := calls.Callee.results(ctx, calls.Method, results)
	if err != nil {
		return nil, err
	}
	return n.rule(ctx, calls, replica.Action{Kind: replica.ActReply, Reply: reply})
}

func (n *Network) rule(ctx context.Context, calls Calls, action replica.Action) (*Rule, error) {
	result, err := n.applied(ctx, &replica.AddRule{Rule: replica.Rule{Match: calls.match(), Action: action}})
	if err != nil {
		return nil, err
	}
	return &Rule{n, result.Rule}, nil
}

func rejectOf(message string) *intercanister.Reject {
	return &intercanister.Reject{Code: CanisterReject, Text: message}
}

// results encodes results with the types of the canister's interface; c is nil if the rule is for any canister.
func (c *Canister) results(ctx context.Context, method string, results []any) ([]byte, error) {
	var types []*candid.Type
	text := encodeUntyped
	if c != nil {
		if m := c.method(ctx, method); m != nil {
			types, text = append([]*candid.Type{}, did.Types(m.Results)...), m.EncodeResults
		}
	}
	reply, err := encode(results, types, text)
	if err != nil {
		return nil, fmt.Errorf("the results of %s: %w", method, err)
	}
	return reply, nil
}

// Messages returns the messages that the rule holds, in the order of arrival.
func (r *Rule) Messages(ctx context.Context) ([]Message, error) {
	return readNetwork(ctx, r.network, func(n *replica.Network) (all []Message) {
		for after := uint64(0); ; {
			some := n.Introspect().Held(r.id, after, introspect.MaxListed)
			for _, h := range some {
				all, after = append(all, messageOf(&h)), h.ID
			}
			if len(some) < introspect.MaxListed {
				return all
			}
		}
	})
}

func messageOf(h *introspect.HeldMessage) Message {
	return Message{Caller: h.Caller, Callee: h.Callee, Method: h.Method, id: h.ID}
}

// Wait runs rounds until the rule holds a message, and returns the first one. The error is [ErrWaiting] if nothing more
// happens before that.
func (r *Rule) Wait(ctx context.Context) (Message, error) {
	first := make(chan Message, 1)
	held, err := r.network.running.AwaitHere(ctx, func(n *replica.Network) bool {
		some := n.Introspect().Held(r.id, 0, 1)
		if len(some) == 0 {
			return false
		}
		first <- messageOf(&some[0])
		return true
	})
	switch {
	case err != nil:
		return Message{}, err
	case !held:
		return Message{}, fmt.Errorf("no message is held: %w", ErrWaiting)
	}
	return <-first, nil
}

// Release ends the rule: the messages that it holds continue, later ones pass.
func (r *Rule) Release(ctx context.Context) error {
	return r.network.apply(ctx, replica.RemoveRule{ID: r.id, Release: true})
}

// Reject ends the rule, and answers the calls that it holds with a reject (CANISTER_REJECT) in place of the callee.
func (r *Rule) Reject(ctx context.Context, message string) error {
	return r.settle(ctx, func(Message) (replica.Settlement, error) { return replica.Settlement{Reject: rejectOf(message)}, nil })
}

// Reply ends the rule, and answers the calls that it holds with results in place of the callee: Go values, or one
// [Text] or [Bytes].
func (r *Rule) Reply(ctx context.Context, results ...any) error {
	return r.settle(ctx, func(m Message) (replica.Settlement, error) {
		reply, err := r.network.CanisterAt(m.Callee).results(ctx, m.Method, results)
		return replica.Settlement{Reply: reply}, err
	})
}

// settle answers the calls that the rule holds, and ends it.
func (r *Rule) settle(ctx context.Context, answer func(Message) (replica.Settlement, error)) error {
	held, err := r.Messages(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, m := range held {
		with, err := answer(m)
		if err == nil {
			err = r.network.apply(ctx, &replica.SettleHeld{ID: m.id, Answer: with})
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, r.Release(ctx))...)
}

// errNoTrace is for a call without remembered events.
var errNoTrace = errors.New("no trace of the call: no call was made, or its events were discarded")

// Trace returns a call as a tree of calls, with rounds, instructions, cycles, traps and log lines, one line for each.
// Without a call (nil) it is the newest call of a canister other than the management canister. Messages of methods that
// a compiler added, such as Motoko's asynchronous blocks, are folded into the messages around them.
func (n *Network) Trace(ctx context.Context, of *Pending) (string, error) {
	events, err := n.events(ctx)
	if err != nil {
		return "", err
	}
	var root trace.Root
	if of != nil {
		root.Request = of.id
	} else {
		root.Request = n.newest(events)
	}
	tree := trace.Build(root, events)
	if tree.Root == nil {
		return "", errNoTrace
	}
	tree.Fold()
	return trace.Text(tree, n.nameOf), nil
}

// events returns the events that the network remembers, the oldest first, without what depends on the speed of the
// computer.
func (n *Network) events(ctx context.Context) (all []replica.Event, err error) {
	reader, err := n.running.Driver().Events(ctx, driver.From{Beginning: true}, driver.Filter{})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for {
		e, ok, err := reader.Recorded()
		if err != nil {
			return nil, err
		}
		if !ok {
			return all, ctx.Err()
		}
		e.Event.Wall = 0
		all = append(all, e.Event)
	}
}

// newest returns the newest message of a user to a canister, or to the management canister if there is no other.
func (n *Network) newest(events []replica.Event) (id replica.RequestID) {
	view := n.running.Driver().View()
	for i := range events {
		e := &events[i]
		if e.Kind != replica.IngressReceived {
			continue
		}
		if module := view.Module(e.Canister); module != nil && module.Method(e.Method) != canister.NoMethod && e.Canister != principal.Management {
			id = e.Request
		}
	}
	if last, ok := trace.LastIngress(events); ok && id == (replica.RequestID{}) {
		id = last.Request
	}
	return id
}
