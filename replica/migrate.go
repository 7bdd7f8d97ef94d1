package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// MigrateCanister moves a stopped canister to another subnet: a test control. The canister keeps its id and everything
// else; the routing table has its new subnet.
type MigrateCanister struct {
	Canister principal.Principal
	Subnet   principal.Principal
}

// RenameCanister gives a stopped canister the id of another one on another subnet, which is deleted: a test control
// that does what the migration orchestrator of mainnet does (interface specification, "Canister migration").
type RenameCanister struct {
	Canister    principal.Principal
	To          principal.Principal // the id it has from now on
	RequestedBy principal.Principal // for the history
}

func (MigrateCanister) input() {}
func (RenameCanister) input()  {}

// orchestrator is the canister that migrates canisters on mainnet.
var orchestrator = principal.Canister(17)

func (n *Network) migrate(in MigrateCanister) Result {
	position, ok := n.routes.byID[in.Subnet]
	if !ok {
		return refuse(refusal.Invalid, "subnet %s is not part of this network", in.Subnet)
	}
	from, r := n.find(in.Canister)
	if refusal := checkMovable(r, in.Canister, "migrat"); refusal != nil {
		return Result{Refusal: refusal}
	}
	to := n.subnets[position]
	if to == from {
		return refuse(refusal.Invalid, "canister %s is on subnet %s already", in.Canister, in.Subnet)
	}
	if most := n.config.SubnetCanisters; to.Canisters.Len() >= most {
		return refuse(refusal.Invalid, "%s", rejectTooManyCanisters(to.ID, most).Text)
	}
	c := from.depart(r, in.Canister)
	n.reroute(in.Canister, to)
	to.arrive(c)
	n.showRanges()
	return Result{}
}

func (n *Network) rename(in RenameCanister) Result {
	m, r := n.find(in.Canister)
	if refusal := checkMovable(r, in.Canister, "renam"); refusal != nil {
		return Result{Refusal: refusal}
	}
	from, replaced := n.find(in.To)
	if refusal := checkMovable(replaced, in.To, "renam"); refusal != nil {
		return Result{Refusal: refusal}
	}
	if from == m {
		return refuse(refusal.Invalid, "canisters %s and %s are on the same subnet: a canister takes the id of one on another subnet", in.Canister, in.To)
	}
	version, total := replaced.Canister.Version, replaced.Canister.History.Total
	from.delete(replaced)
	n.reroute(in.To, m)
	c := m.depart(r, in.To)
	c.Rename(in.Canister, in.RequestedBy, version, total, m.Time, canister.ChangeOrigin{Principal: orchestrator, FromCanister: true})
	m.arrive(c)
	n.showRanges()
	return Result{}
}

// checkMovable returns why a canister cannot leave, nil if it can; doing is the verb for the operation, without its
// ending.
func checkMovable(r *state.Entry, id principal.Principal, doing string) *refusal.Refusal {
	var reject *intercanister.Reject
	switch {
	case r == nil:
		reject = rejectNotFound(id)
	case r.Canister.Status != canister.Stopped:
		reject = rejectMovedNotStopped(id, doing)
	case r.Canister.Snapshots.Len() > 0:
		reject = rejectMovedSnapshots(id, doing)
	case !r.ReadyToMigrate():
		return refusal.New(refusal.Invalid, "Canister %s is not ready for migration: messages wait for it", id)
	default:
		return nil
	}
	return refusal.New(refusal.Invalid, "%s", reject.Text)
}

// depart removes a canister that may leave from its subnet; the canister has the id from then on.
func (s *subnet) depart(r *state.Entry, id principal.Principal) *canister.Canister {
	s.charge(r)
	before := r.ID()
	s.Uncount(r)
	c := r.Canister.Move(id)
	s.Remove(r) // what is left is empty: no cycles or memory are lost with it
	s.TreeChanged = true
	if s.net.sink != nil {
		s.net.emit(Event{Kind: CanisterMoved, Subnet: s.ID, Canister: before, Peer: id})
	}
	return c
}

// arrive adds a canister from another subnet.
func (s *subnet) arrive(c *canister.Canister) {
	r := s.Add(c)
	s.refreshEntryPoints(r)
	s.Recount(r)
	s.TreeChanged = true
	s.net.generation++
}

// reroute moves a canister id to a subnet.
func (n *Network) reroute(id principal.Principal, to *subnet) {
	n.View() // made before any change: it stays the last until the next round ends
	number, ok := id.CanisterNumber()
	position := n.routes.find(id)
	if !ok || position < 0 {
		panic("replica: canister " + id.String() + " has no subnet to leave")
	}
	from := n.subnets[position]
	from.Ids.Remove(number)
	to.Ids.Include(number)
	from.shownRanges, to.shownRanges = nil, nil
	n.routes = n.routesNow()
}

// showRanges writes the present canister ranges of all subnets into the trees of all, and drops the delegations that
// show older ones.
func (n *Network) showRanges() {
	n.delegations = new(delegations)
	for _, m := range n.subnets {
		last := m.staged()
		tree := last.height().Tree()
		for _, other := range n.subnets {
			label, ranges := certify.LabelOf(other.ID), other.Ids.Certified()
			tree = tree.Set(certify.Leaf(ranges.Encode()), "subnet", label, "canister_ranges")
			tree = tree.Set(ranges.Shards(RangesPerShard), "canister_ranges", label)
		}
		m.showAhead(last, tree)
	}
}

// showAhead makes a tree the base of the next round. last is the tree of the last view.
func (s *subnet) showAhead(last *stagedTree, tree certify.Tree) {
	s.record.rebase(tree)
	s.ahead = &stagedTree{subnet: s.ID, key: s.key, base: tree, ended: last.ended, signed: last.signed}
	s.TreeChanged = true
}
