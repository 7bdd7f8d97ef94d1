package node

import (
	"sync"

	"github.com/canisterd/canisterd/replica"
)

// compiler prepares the modules that calls of canisters install, one after the other
// on a goroutine of its own, which ends when there is nothing to do.
type compiler struct {
	node    *Node
	running sync.WaitGroup

	mu    sync.Mutex
	queue []replica.Compilation
	busy  bool
}

// Compile begins to prepare a module.
func (c *compiler) Compile(job replica.Compilation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, job)
	if !c.busy {
		c.busy = true
		c.running.Go(c.work)
	}
}

func (c *compiler) work() {
	defer func() {
		if bug := recover(); bug != nil {
			c.node.fail(bug)
		}
	}()
	for {
		job, ok := c.next()
		if !ok {
			return
		}
		c.node.compiling <- struct{}{}
		prepared := job.Prepare(c.node.engine)
		<-c.node.compiling
		c.node.tell(func(n *Node) { n.network.Apply(prepared) })
	}
}

// next is the next module; there is none once the node closes.
func (c *compiler) next() (job replica.Compilation, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.node.closing:
		c.queue = nil
	default:
	}
	if len(c.queue) == 0 {
		c.busy = false
		return job, false
	}
	job = c.queue[0]
	c.queue[0] = replica.Compilation{}
	c.queue = c.queue[1:]
	return job, true
}
