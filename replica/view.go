package replica

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/certify"
)

// View is a network at the end of a round. It is immutable and safe for concurrent use. A height is signed when its
// certificate is first requested.
type View struct {
	Time, Height uint64
	RootKey      []byte // DER
	Subnets      []SubnetView
	dated        int64 // ns that are added to certified times
	routes       *routes
	delegations  *delegations
	index        *readIndex
	seed         *[32]byte // of the network; immutable
}

// SubnetView is one subnet in a View.
type SubnetView struct {
	ID        principal.Principal
	Kind      SubnetKind
	Nodes     []*certify.NodeKey
	Ranges    certify.Ranges
	PublicKey []byte // DER
	// Benchmarking, Free, Added and Admins are as in SubnetConfig.
	Benchmarking, Free, Added bool
	Admins                    []principal.Principal

	number int // of SubnetConfig
	staged *stagedTree
	dated  int64 // ns that are added to certified times
}

// Certified returns the certified state tree. The first call builds it.
func (s *SubnetView) Certified() *certify.SignedState { return s.staged.height().Dated(s.dated) }

// HashTrees computes the root hashes of the certified state trees, so that a journal records them (Marks). It is safe for
// concurrent use.
func (v *View) HashTrees() {
	for i := range v.Subnets {
		t := v.Subnets[i].staged
		t.height().Root()
		t.hashed.Store(true)
	}
}

// Dated returns the view for clients with another clock: the same state, certified with a time that is later by this many
// nanoseconds, or earlier if by is negative.
func (v *View) Dated(by int64) *View {
	if by == 0 {
		return v
	}
	other := *v
	other.Time, other.dated = v.Time+uint64(by), v.dated+by
	other.Subnets = slices.Clone(v.Subnets)
	for i := range other.Subnets {
		other.Subnets[i].dated += by
	}
	return &other
}

// Root returns the root subnet.
func (v *View) Root() *SubnetView { return &v.Subnets[0] }

// Subnet returns the subnet with an id, nil if there is none.
func (v *View) Subnet(id principal.Principal) *SubnetView {
	if position, ok := v.routes.byID[id]; ok {
		return &v.Subnets[position]
	}
	return nil
}

// shown returns the view of a subnet. The position of the subnet may be lower than in the view, if others were deleted since.
func (v *View) shown(m *subnet) *SubnetView {
	for i := m.position; i < len(v.Subnets); i++ {
		if v.Subnets[i].ID == m.ID {
			return &v.Subnets[i]
		}
	}
	panic("replica: the view does not have subnet " + m.ID.String())
}

// SubnetOf returns the subnet that hosts a canister id, nil if none does.
func (v *View) SubnetOf(canister principal.Principal) *SubnetView {
	if position := v.routes.find(canister); position >= 0 {
		return &v.Subnets[position]
	}
	return nil
}

// DefaultCanister returns the canister id that stands for the network if a user
// names none: the first of the allocation range of its first application subnet, or else of its first verified
// application subnet, system subnet or cloud engine, or else of its first subnet, as in PocketIC. Subnets that were added
// are ignored.
func (v *View) DefaultCanister() principal.Principal {
	for _, wanted := range []SubnetKind{Application, VerifiedApplication, System, CloudEngine} {
		for i := range v.Subnets {
			if v.Subnets[i].Kind == wanted && !v.Subnets[i].Added {
				return principal.Canister(allocation(v.seed, v.Subnets[i].number).First)
			}
		}
	}
	return principal.Canister(allocation(v.seed, 0).First)
}

// Certificate returns a certificate of a subnet for some paths, with the delegation
// from the root subnet in the layout of the requested endpoint.
func (v *View) Certificate(s *SubnetView, layout certify.RangesLayout, paths ...certify.Path) []byte {
	return s.Certified().Certificate(v.Delegation(s, layout), paths...)
}

// Delegation returns the root subnet's delegation to a subnet, nil for the root subnet itself. It is cached for a minute of
// the network's time, unless the view is Dated.
func (v *View) Delegation(s *SubnetView, layout certify.RangesLayout) *certify.Delegation {
	switch {
	case s.ID == v.Subnets[0].ID:
		return nil
	case v.dated != 0:
		return v.Root().Certified().Delegate(s.ID, layout)
	}
	return v.delegations.get(v, s.ID, layout)
}

// delegations caches delegations. The content of a delegation never changes, but its time becomes old.
type delegations struct {
	mu   sync.Mutex // guards made
	made map[delegationKey]madeDelegation
}

type delegationKey struct {
	subnet principal.Principal
	layout certify.RangesLayout
}

type madeDelegation struct {
	time       uint64
	delegation *certify.Delegation
}

// delegationAge is the maximum age of a cached delegation, in nanoseconds. Ours.
const delegationAge = 60_000_000_000

// get returns a cached delegation, or makes one if it is too old.
func (d *delegations) get(v *View, subnet principal.Principal, layout certify.RangesLayout) *certify.Delegation {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := delegationKey{subnet, layout}
	m, ok := d.made[key]
	if !ok || v.Time > m.time+delegationAge {
		m = madeDelegation{v.Time, v.Subnets[0].Certified().Delegate(subnet, layout)}
		if d.made == nil {
			d.made = make(map[delegationKey]madeDelegation)
		}
		d.made[key] = m
	}
	return m.delegation
}

// Views makes the views of a network for readers on any goroutine. The owner makes none, because
// most rounds have no reader: at the end of a round, it only records the changes. The first
// reader before the end of the next round makes the view, which then shares the record.
type Views struct {
	latest atomic.Pointer[View] // nil until a reader asks for it
	// time, in ns, and height belong to the round that ended last. They are written with mu held.
	time, height atomic.Uint64

	// mu guards the fields below, and the fields of the network from which a view is made. Those
	// are written with mu held, or while there is a latest view, because then none is made.
	mu      sync.Mutex
	network *Network // the pointer itself never changes
	signed  HeightSink
}

// Time returns the time of the last round, in ns, without making a view.
func (v *Views) Time() uint64 { return v.time.Load() }

// Height returns the height of the last round, without making a view.
func (v *Views) Height() uint64 { return v.height.Load() }

// Module returns the code that a canister has after the last round, nil if it has none, without making a view.
func (v *Views) Module(id principal.Principal) *canister.Module { return v.network.index.module(id) }

// Latest returns the view of the last round.
func (v *Views) Latest() *View {
	if view := v.latest.Load(); view != nil {
		return view
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if view := v.latest.Load(); view != nil {
		return view
	}
	view := v.make()
	v.latest.Store(view)
	return view
}

// make makes the view. mu is held.
func (v *Views) make() *View {
	n := v.network
	view := &View{Time: v.Time(), Height: v.Height(), RootKey: n.rootKey, routes: n.routes, delegations: n.delegations, index: n.index, seed: &n.config.Seed}
	view.Subnets = make([]SubnetView, len(n.subnets))
	for i, m := range n.subnets {
		view.Subnets[i] = SubnetView{
			ID: m.ID, Kind: m.config.Kind, number: m.config.number, staged: m.stage(v.signed),
			Nodes: m.nodes, Ranges: m.shownRanges, PublicKey: m.publicKey,
			Benchmarking: m.config.Benchmarking, Free: m.config.Free, Added: m.config.Added, Admins: m.config.Admins,
		}
	}
	return view
}

// publish records what changed, for the next view.
func (n *Network) publish() {
	for _, m := range n.subnets {
		m.rebase()
	}
	n.views.mu.Lock()
	defer n.views.mu.Unlock()
	for _, m := range n.subnets {
		m.recordRound()
	}
	n.show()
}

// show makes the last recorded round visible to readers. Views.mu is held.
func (n *Network) show() {
	for _, m := range n.subnets {
		if m.shownRanges == nil {
			m.shownRanges = m.Ids.Certified()
		}
	}
	v := n.views
	if v.latest.Load() != nil {
		v.latest.Store(nil)
	}
	// Only after the old view was removed: no reader that sees the new time gets the view of an earlier round.
	v.time.Store(n.time)
	v.height.Store(n.height)
	v.signed = n.config.Signed
}
