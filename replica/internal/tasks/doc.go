// Package tasks queues what canisters do by themselves: heartbeats, global timers, and the low-memory hook.
//
// It owns the conditions under which a task is queued, dropped, or tried again. It must not know how a message runs or
// what it costs.
package tasks
