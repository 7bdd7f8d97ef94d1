package replica

import (
	"io"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Open is what waits for a canister and what it has open.
type Open struct {
	ID                           principal.Principal
	Contexts, Calls              int
	Ingress, Responses, Requests int
	Slots, Owed                  int
	Running                      bool
	Credit, Debit                cycles.Amount
}

// Open is what every canister of a subnet has open, in the order of their ids.
func (n *Network) Open(subnet int) []Open {
	m := n.subnets[subnet]
	calls := make(map[principal.Principal]int)
	for _, id := range m.Calls.Calls() {
		calls[m.Calls.Future(id).Owner]++
	}
	all := make([]Open, 0, m.Canisters.Len())
	for r := range m.Canisters.All() {
		o := Open{ID: r.ID(), Calls: calls[r.ID()], Contexts: int(r.Mailbox.Contexts), Running: r.Running, Credit: r.DeferredCredit, Debit: r.Debit}
		_, o.Responses, o.Ingress, o.Requests = r.Mailbox.Waiting()
		o.Slots, o.Owed = r.Mailbox.Slots()
		all = append(all, o)
	}
	return all
}

// Memory is what all canisters of a subnet use, in bytes, as it is counted.
func (n *Network) Memory(subnet int) uint64 { return n.subnets[subnet].MemoryUsed }

// AllMemory is what the canisters of all subnets use, in bytes.
func (n *Network) AllMemory() (sum uint64) {
	for _, m := range n.subnets {
		sum += m.MemoryUsed
	}
	return sum
}

// Opened is the round that is under way, of which a step may have told no event yet.
func (n *Network) Opened() (height, time uint64, open bool) { return n.height, n.time, n.open }

// Commands are the management calls of canisters that wait on a subnet.
func (n *Network) Commands(subnet int) int {
	m := n.subnets[subnet]
	_, _, _, waiting := m.ManagementCalls.Waiting()
	for r := range m.Canisters.All() {
		for _, in := range r.Waiting {
			if in.Source == intercanister.SourceRequests {
				waiting++
			}
		}
	}
	return waiting
}

// Recorded is what a subnet has written down of a user's message.
func (n *Network) Recorded(subnet principal.Principal, id RequestID) *state.Ingress {
	return n.subnets[n.routes.byID[subnet]].History.Find(id)
}

// UseAll makes the network use all its canisters, so that it has none of them together with
// forks.
func (n *Network) UseAll() {
	for _, m := range n.subnets {
		for r := range m.Canisters.All() {
			_ = r
		}
	}
}

// ImportForged is Import of a file whose roots are right: an author of a forged file can forge them as well. The file
// is read up to the trees.
func ImportForged(r io.Reader, config Config) (*Network, error) {
	c := archive.NewReader(r)
	config.archive(c)
	if c.Failed() {
		return nil, c.Err()
	}
	n, err := New(config)
	if err != nil {
		return nil, err
	}
	if n.archiveState(c); !c.Failed() {
		n.resume(c)
	}
	if c.Failed() {
		n.Close()
		return nil, c.Err()
	}
	return n, nil
}

// State is what a subnet is, for those who damage it.
func (n *Network) State(subnet int) *state.State { return &n.subnets[subnet].State }

// Damage is what a subnet has beside its state and can be damaged.
func (n *Network) Damage(subnet int) (rules *state.Rules, limits *canister.Limits, sent []*uint64) {
	m := n.subnets[subnet]
	for _, queue := range m.Output {
		for i := range queue {
			sent = append(sent, &queue[i].Deadline)
		}
	}
	return &n.rules, &m.Limits, sent
}

// Slices is the least and the most slices that a parked message of all subnets had.
func (n *Network) Slices() (least, most int) {
	for _, m := range n.subnets {
		for _, j := range m.paused {
			if least == 0 || j.Pauses.Slices < least {
				least = j.Pauses.Slices
			}
			most = max(most, j.Pauses.Slices)
		}
	}
	return least, most
}

// SetSlices sets the number of slices that each parked message of a subnet had.
func (n *Network) SetSlices(subnet, slices int) {
	for _, j := range n.subnets[subnet].paused {
		j.Pauses.Slices = slices
	}
}
