package main

import (
	"context"
	"slices"
)

// attack is one row of the table.
type attack struct {
	name   string
	why    string // what it is meant to exhaust
	limits limits
	launch launch
	// freshConnections makes the innocent canisters' users open a connection for each
	// request: they come while the attack holds what connections need.
	freshConnections bool
	// prepare makes the attack's canisters; nil for nothing.
	prepare func(ctx context.Context, s *stage) error
	// run attacks until ctx ends.
	run func(ctx context.Context, s *stage)
}

// Reasons for which the short version leaves attacks out.
const (
	similar  = "another attack of the short version takes the same way"
	noSlices = "long queries and bulk instructions are not interrupted yet"
	noBudget = "messages and memory have no budget yet"
)

// leftOut are the attacks that the short version leaves out, and why.
var leftOut = map[string]string{
	"query": noSlices, "queries": noSlices, "inspect": noSlices,
	"bulk-fill": noSlices, "bulk-fill-query": noSlices, "bulk-copy": noSlices, "stable-write": noSlices,
	"dirty-and-trap": noSlices, "scatter": noSlices, "scatter-and-trap": noSlices, "full-disk": noSlices,
	"recursion": noBudget, "reply-2mb": noBudget, "argument-2mb": noBudget, "unread-answers": noBudget, "unread-streams": noBudget,
	"compile":     noBudget,
	"instances":   "updates of all instances share the processors without order yet",
	"timer":       "a round runs all busy canisters before new requests are looked at",
	"heartbeat":   "a round runs all busy canisters before new requests are looked at",
	"cleanup":     "a round runs all busy canisters before new requests are looked at",
	"updates":     "a round runs all busy canisters before new requests are looked at",
	"descriptors": "a daemon without descriptors stops yet",
	"log-short":   similar, "reply-2mb-query": similar,
}

// attacks are all attacks, in the order of the table.
func attacks() []attack {
	return slices.Concat(executionAttacks(), memoryAttacks(), messageAttacks(), connectionAttacks())
}
