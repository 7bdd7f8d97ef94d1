// Package trace makes call trees from recorded events, and shows them: as text, as a Mermaid sequence diagram, and as
// trace events for ui.perfetto.dev and chrome://tracing.
//
// It owns the members of a tree and their order, the list of what is missing, and the three forms. It must not know
// where events are kept, or the clients. Nothing in it has effects.
//
// # A tree
//
// A Call is an ingress message, a call of a canister or a task; its Executions are the messages that served it, in
// order: the method first, then callbacks. Under an execution are the calls that it made. The recorded part of a tree
// may begin late or end early: the tree lists what is missing (Tree.Missing, Call.Missing).
//
// Text from users and canisters (names of methods, rejects, lines of logs) is escaped as each form requires.
package trace
