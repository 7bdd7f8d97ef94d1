package node

import (
	"sync"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
)

// compiler prepares the modules that calls of canisters install, each on its own goroutine. The engine schedules them
// fairly with the modules of other instances.
type compiler struct {
	node    *Node
	running sync.WaitGroup
}

// Compile begins to prepare a module.
func (c *compiler) Compile(job replica.Compilation) {
	c.running.Go(func() { contain.Do(func() { c.prepare(&job) }, c.node.Fail) })
}

// prepare prepares a module and informs the network, unless the node closes first.
func (c *compiler) prepare(job *replica.Compilation) {
	prepared := job.Prepare(canister.CompileFor(c.node.open, c.node, c), c.node.engine)
	if c.node.open.Err() == nil {
		c.node.tell(func(n *Node) { n.network.Apply(prepared) })
	}
}
