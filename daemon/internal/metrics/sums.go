package metrics

import (
	"github.com/canisterd/canisterd/replica"
)

// addAll adds everything an instance has done and has now to a sum, in which all subnets are one.
func addAll(sum, of *replica.Statistics) {
	addCounts(sum, of)
	sum.Bytes.Waiting += of.Bytes.Waiting
	sum.Bytes.Answers += of.Bytes.Answers
	sum.Bytes.Unstaged += of.Bytes.Unstaged
	sum.Bytes.Records += of.Bytes.Records
	to := &sum.Subnets[0]
	for i := range of.Subnets {
		s := &of.Subnets[i]
		to.Canisters += s.Canisters
		to.MemoryBytes += s.MemoryBytes
		to.Contexts += s.Contexts
		to.Futures += s.Futures
		to.Ingress += s.Ingress
		to.Guaranteed += s.Guaranteed
		to.BestEffort += s.BestEffort
		addQueues(&to.Queues, &s.Queues)
	}
}

// addCounts adds what an instance has done so far to a sum, in which all subnets are one.
func addCounts(sum, of *replica.Statistics) {
	if len(sum.Subnets) == 0 {
		sum.Subnets = make([]replica.SubnetStatistics, 1)
	}
	sum.Height += of.Height
	to := &sum.Subnets[0]
	for i := range of.Subnets {
		s := &of.Subnets[i]
		for kind := range s.Executed {
			to.Executed[kind].Add(&s.Executed[kind])
		}
		to.DirtyPages += s.DirtyPages
		to.Instructions += s.Instructions
		to.Consumed = to.Consumed.Add(s.Consumed)
	}
}

func addQueues(sum, of *replica.Queues) {
	sum.Ready += of.Ready
	sum.Management += of.Management
	sum.Modules += of.Modules
	sum.Parked += of.Parked
	sum.Inbound += of.Inbound
	sum.Outbound += of.Outbound
	sum.Held += of.Held
	sum.Outcalls += of.Outcalls
	sum.Signatures += of.Signatures
}
