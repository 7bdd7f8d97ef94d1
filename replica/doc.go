// Package replica runs a network of subnets that takes inputs (Network.Apply) and makes moves (Network.Round,
// Network.Step).
//
// It owns the order of events: admission of ingress messages, rounds and the messages in them, routing between
// canisters and subnets, charges for messages, call contexts, time, and the certified trees. It has no clock, socket,
// file or goroutine, and no randomness except its seed: the same inputs with the same seed give the same root hash on
// any machine with any number of cores. It must not know who drives it, how bytes come in, or what canister code does.
//
// # A round
//
// Network.Round runs one round on every subnet. First it signs pending requests and queues due work (timers, expiry,
// heartbeats, messages from other subnets). Then it runs batches: every canister with a waiting message takes one; the
// Runner executes the messages of a batch in parallel, and their outcomes are applied in the order of canister ids.
// Calls within the subnet are routed at once, so that nested calls finish in one round. Calls of the management
// canister run between the messages, one in each batch; its own work takes at most one slice of a round, then its
// other calls wait. A module that a call installs is compiled in the background if the configuration has a Compiler. A
// message that uses up its slice is parked and resumes in the next round, or in a later one if many are parked.
//
// Queries capture the state they need (Network.PrepareQuery) and run in parallel with the network, on any goroutine;
// their statistics come back as an input (QueryCounts). All queries of a composite query see the same state.
//
// Everything that happens is reported as events (Event, EventSink) if there is a listener; their fields have one
// vocabulary (events_fields.go). Events are annotations: nothing depends on them.
//
// # Where things are
//
// The files of one subnet, in the order in which a message passes them:
//
//	admission.go, admit.go   check a user's message and queue it
//	inspection.go            runs canister_inspect_message
//	round.go, step.go        run rounds, batches, single steps
//	next_job.go, runner.go   take a message from its mailbox and run it
//	finish.go                applies its outcome
//	route.go, stream.go      route requests and responses, within the subnet or to another
//	decisions.go             applies the decisions of fault injection
//	command.go, lifecycle.go run calls of the management canister, and change the subnet for them
//	outcalls.go, prepare.go  wait for the outside: HTTP outcalls, modules
//	due.go, shed.go          end what is past its deadline, or lacks memory
//	staged_tree.go           shows changes in the certified tree
//
// Code that needs only the state of a subnet is in packages below: charging (who pays for what), tasks (timers,
// heartbeats, hooks), faults (rules), state (memory of messages, queues between subnets).
//
// # Files
//
// Network.Export writes the whole network between two rounds, including messages that are parked in the middle of
// their code. Import makes a network at the same point from the file (archive.go lists the sections; package archive
// defines the format).
//
// # Journals
//
// Every change of a network is an input, a round or a step. A Journal receives a record of each (journal.go), and
// Network.Replay makes another network do what the records say: it reaches the same state hash.
//
// # Steps
//
// Network.Step makes the same moves one at a time and lets an oracle choose among the legal ones; with the oracle
// FIFO, it makes the moves of a round.
//
// # Fault injection
//
// Rules (AddRule) hold, delay, lose or answer messages in transit. A request is caught where its sender releases it,
// for any receiver; a response or a user's message just before it enters the queue of its receiver. Held messages
// (Held) can be released or dropped, or their calls settled; SettleCall settles any waiting call. A real network could
// cause each of these effects: it is late, it loses messages of best-effort calls, or a callee answers differently.
// Effects that no network could cause are refused, or the rule ignores the message.
//
// Package faults decides; the subnet asks it at these three points and applies its decisions (decisions.go).
//
// A held message keeps its resources: the slot of its call, memory, cycles. A held request stays in its sender's
// output queue, so its sender can be neither deleted nor moved; its receiver does not know of it. Later requests
// between the same two canisters wait behind it. A best-effort call whose message is held ends at its deadline. Mocked
// requests are held for an answer, and nothing waits behind them.
//
// Contexts, Futures, Messages and Timers list what is in flight and what it waits for.
//
// # Forks
//
// Network.Fork makes a second network at the same point. State is shared and copied on write, and memories of
// canisters share their pages (docs/internals/sharing.md). A message in the middle of its code has a stack that cannot
// be copied: the fork restarts the message when its turn comes, and runs it to the same point (runner.go). A fork that
// is not driven is a snapshot; Diff lists the differences between two networks. fork_sharing_test.go says for each field
// how a fork treats it.
package replica
