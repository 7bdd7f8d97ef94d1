// Package tasks queues what canisters do without a call: heartbeats, global timers, and the low-memory hook.
//
// It owns the conditions under which a task is queued, dropped, or retried. It must not know how a message runs or what
// it costs.
package tasks
