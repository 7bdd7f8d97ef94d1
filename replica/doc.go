// Package replica runs a network of subnets that takes inputs (Network.Apply) and
// moves (Network.Round, Network.Step).
//
// It owns the order in which things happen: admission of ingress messages, the
// rounds and the messages in them, routing between canisters and subnets, what
// a message costs, call contexts coming and going, time, and the certified
// trees. It has no clock, socket, file or goroutine and no randomness but its
// seed: the same inputs with the same seed give the same root hash on any
// machine with any number of cores. It must not know who drives it, how bytes
// come in, or what canister code does.
//
// # A round
//
// Network.Round gives every subnet one round. First pending requests are signed, and due work is queued (timers,
// expiry, heartbeats, messages from other subnets). Then come batches: every canister with a waiting message takes one;
// the Runner executes the messages of a batch in parallel, and their outcomes are applied in the order of canister ids.
// Calls within the subnet are routed at once, so that nested calls finish in one round. Calls of the management
// canister run between the messages, one in each batch; its own work takes at most a slice of a round, then its other
// calls wait. A module that a call installs is compiled in the background if the configuration has a Compiler. A
// message that uses up its slice is parked and goes on in the next round, or in a later one if many are parked.
//
// Queries take the state they need (Network.PrepareQuery) and run beside the
// network, on any goroutine; what they took comes back as an input (QueryCounts).
// All queries of a composite query see the state of one moment.
//
// Everything that happens is reported as events (Event, EventSink) if there is a listener; their fields have one
// vocabulary (events_fields.go). Events are annotations: nothing depends on them.
//
// # Where things are
//
// The steps of one subnet, in the order in which a message passes them:
//
//	admission.go, admit.go   may a user's message enter, and where is it queued
//	inspection.go            canister_inspect_message
//	round.go, step.go        rounds, batches, single steps
//	next_job.go, runner.go   a message leaves its mailbox and runs
//	finish.go                its outcome is applied
//	route.go, stream.go      requests and responses go to canisters, here or on another subnet
//	intercept.go             fault injection is asked
//	command.go, lifecycle.go calls of the management canister, and what they do to the subnet
//	outcalls.go, prepare.go  they wait for the outside: HTTP outcalls, modules
//	due.go, shed.go          what deadlines and missing memory end
//	staged_tree.go           the certified tree shows what has changed
//
// What follows from the state of a subnet alone is in packages below: charging (who pays what), tasks (timers,
// heartbeats, hooks), faults (rules), state (memory of messages, queues between subnets).
//
// # A network as a file
//
// Network.Export writes everything a network is between two rounds, messages that are parked
// in the middle of their code included, and Import makes a network of it that is at the same
// point (archive.go has the sections, package archive the form).
//
// # A network as a history
//
// Everything that moves a network is an input, a round or a step. A Journal gets a record of each (journal.go), and
// Network.Replay makes another network do what records tell: it comes to the same state hash.
//
// # Steps
//
// Network.Step makes the same moves one at a time and lets an oracle choose
// among the legal ones; the oracle sched.FIFO makes what a round makes.
//
// # Fault injection
//
// Rules (AddRule) hold, delay, lose or answer messages on their way. A request is caught where its sender releases it,
// for any receiver; a response or a user's message just before it enters the queue of its receiver. Held messages
// (Held) can be released or dropped, or their calls settled; SettleCall settles any waiting call. A network could have
// caused each of these effects: it is late, it loses messages of best-effort calls, or a callee answers differently.
// Effects that no network could cause are refused, or the message passes the rule.
//
// Package faults decides; the subnet asks it at these three points (interceptor) and carries its decisions out.
//
// A held message keeps what it has taken: the slot of its call, memory, cycles. A held request
// lies in its sender's output queue, so that this one can neither go nor move; its receiver
// knows nothing of it. Later requests of the same two canisters wait behind it. A best-effort
// call whose message is held ends at its deadline. Mocked requests are held for an answer, and
// nothing waits behind them.
//
// Contexts, Futures, Messages and Timers list what is in flight with what it waits for.
//
// # Forks
//
// Network.Fork makes a second network at the same point. State is copied when it is written and shared until then, and
// memories of canisters share their pages (docs/sharing.md). A message in the middle of its code has a stack that
// cannot be copied: the fork begins the message again when its turn comes, and runs it to the same point (runner.go). A
// fork that is not driven is a snapshot; Diff lists the differences between two networks. fork_sharing_test.go says for
// each field what a fork does with it.
package replica
