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
	pocket bool // the target is canisterd pocket-ic, not canisterd start
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
	similar = "another attack of the short version takes the same way"
	onDisk  = "it measures the disk of the machine"
)

// leftOut are the attacks that the short version leaves out, and why.
var leftOut = map[string]string{
	"queries": similar, "heartbeat": similar, "slow": similar, "log-short": similar, "reply-2mb-query": similar,
	"bulk-fill-query": similar, "bulk-copy": similar, "stable-write": similar,
	"scatter": onDisk, "full-disk": onDisk,
	"argument-2mb":         "a request of an innocent client may be refused while the budget is used up",
	"recursion":            "its time in another instance is close to the limit",
	"unread-answers":       similar,
	"grpc-continuations":   similar,
	"pocket-continuations": similar,
	"pocket-resets":        similar,
	"pocket-stable":        similar,
	"pocket-foreign":       "api/pocketic/testdata/pages.txt has each kind of page",
	"forked-timers":        "daemon/memory_events_test.go counts the events of forks",
	"descriptors":          "on a busy machine a request may take longer to come than a new connection is spared",
}

// attacks are all attacks, in the order of the table.
func attacks() []attack {
	return slices.Concat(executionAttacks(), memoryAttacks(), messageAttacks(), managementAttacks(), instanceAttacks(), connectionAttacks(), pocketAttacks())
}
