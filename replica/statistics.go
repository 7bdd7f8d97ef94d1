package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// ExecutionKind says which kind of message was executed.
type ExecutionKind uint8

// The kinds of executions. Those of canisters are named after the source of the message.
const (
	ManagementExecution   ExecutionKind = iota // a call of the management canister
	TaskExecution                              // a heartbeat, a global timer, a low-memory hook
	ResponseExecution                          // a callback
	IngressExecution                           // a message of a user
	RequestExecution                           // a message of a canister
	InstallationExecution                      // code of a canister that runs during an installation
	ExecutionKinds                             // how many there are
)

var executionNames = [ExecutionKinds]string{"management", "task", "response", "ingress", "request", "installation"}

// String returns the name of the kind in metrics.
func (k ExecutionKind) String() string { return executionNames[k] }

// ExecutionCounts counts messages of one kind by their outcome.
type ExecutionCounts struct {
	Done    uint64 // executed without a trap, whatever the answer
	Trapped uint64 // rolled back
	Dropped uint64 // not executed
	Wall    int64  // ns of executions on the runner's stopwatch, while events have a listener
}

// Add adds other counts.
func (c *ExecutionCounts) Add(others *ExecutionCounts) {
	c.Done += others.Done
	c.Trapped += others.Trapped
	c.Dropped += others.Dropped
	c.Wall += others.Wall
}

// executionTally counts the executions of a subnet since its network was made in this process. It is not part of the
// state: the tally of a fork or an imported network begins at zero.
type executionTally struct {
	kinds      [ExecutionKinds]ExecutionCounts
	dirtyPages uint64
}

// record counts a job that has ended.
func (t *executionTally) record(j *Job) {
	kind := ExecutionKind(j.In.Source)
	if j.Install != nil {
		kind = InstallationExecution
	}
	counts := &t.kinds[kind]
	switch {
	case !j.runs():
		counts.Dropped++
	case j.outcome.Failure != nil:
		counts.Trapped++
	default:
		counts.Done++
	}
	counts.Wall += j.wall
	t.dirtyPages += uint64(j.outcome.DirtyPages)
}

// SubnetStatistics count the executions of a subnet, and its present content.
type SubnetStatistics struct {
	ID principal.Principal
	// Executed and DirtyPages count from when the network was made in this process.
	Executed   [ExecutionKinds]ExecutionCounts // by ExecutionKind
	DirtyPages uint64                          // of heaps that messages changed, rolled back or not
	// Instructions and Consumed count from the start of the network; a fork continues the counts of its source.
	Instructions uint64
	Consumed     cycles.Amount // at the last charge for resources

	Canisters   int
	MemoryBytes uint64 // of canisters, each at the time of its last count
	Contexts    int    // open call contexts
	Futures     int    // calls that wait for their response
	Ingress     int    // ingress messages whose status is known
	Queues      Queues

	Guaranteed, BestEffort uint64 // bytes of messages, by whether their response is guaranteed
}

// Queues counts waiting messages, by what they wait for.
type Queues struct {
	Ready      int // for the next batch, of canisters that may run
	Management int // for the management canister
	Modules    int // for modules that are being compiled
	Parked     int // for the next slice, in the middle of their code
	Inbound    int // that came from other subnets, for the next round
	Outbound   int // for a place in a stream to another subnet
	Held       int // held by rules
	Outcalls   int // for HTTP responses
	Signatures int // for signatures
}

// Statistics count the executions of a network, and its present content.
type Statistics struct {
	Height, Time uint64 // of the last round; Time in nanoseconds
	Bytes        MessageBytes
	Subnets      []SubnetStatistics
}

// Statistics returns the present statistics of the network. It takes time in proportion to the number of subnets and of
// ready canisters.
func (n *Network) Statistics() Statistics {
	all := Statistics{Height: n.height, Time: n.time, Bytes: n.MessageBytes(), Subnets: make([]SubnetStatistics, len(n.subnets))}
	for i, m := range n.subnets {
		all.Subnets[i] = m.statistics()
	}
	return all
}

func (s *subnet) statistics() SubnetStatistics {
	return SubnetStatistics{
		ID: s.ID, Executed: s.tally.kinds, DirtyPages: s.tally.dirtyPages,
		Instructions: s.Instructions + s.RoundInstructions, Consumed: s.Consumed,
		Canisters: s.Canisters.Len(), MemoryBytes: s.MemoryUsed, Contexts: s.Calls.Contexts(), Futures: s.Calls.Futures(),
		Ingress: s.History.Len(), Guaranteed: s.Messages.Guaranteed, BestEffort: s.Messages.BestEffort,
		Queues: Queues{
			Ready: s.Ready.Messages(&s.ManagementCalls), Management: s.ManagementCalls.Len(), Modules: len(s.Preparing), Parked: len(s.paused), Inbound: len(s.Inbound),
			Outbound: s.Unsent, Held: s.Held.Len(), Outcalls: len(s.Outcalls), Signatures: len(s.Signing.Pending),
		},
	}
}

// The kinds of executions are the sources of messages, and two more.
var _ = [1]int{}[int(RequestExecution)-int(intercanister.SourceRequests)]
