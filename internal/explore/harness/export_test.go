package harness

import "github.com/canisterd/canisterd/replica"

// Network returns the network of the run.
func (r *Run) Network() *replica.Network { return r.network }
