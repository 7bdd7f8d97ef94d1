package harness

import "github.com/canisterd/canisterd/replica"

// Network is the network of the run.
func (r *Run) Network() *replica.Network { return r.network }
