package ic

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
)

const instant uint64 = 1_700_000_000_000_000_000 // ns; nothing depends on which

var (
	nnsCanister = principal.Canister(1)
	appCanister = principal.Canister(1 << 20)
	homeless    = principal.Canister(1 << 40)
)

// fakeNetwork is a network of two subnets, NNS and application, whose trees are
// real and whose canisters are functions.
type fakeNetwork struct {
	mu      sync.Mutex
	now     uint64
	wall    uint64 // 0: as now
	nns     *fakeSubnet
	app     *fakeSubnet
	view    *fakeView
	changed chan struct{} // closed at the next view

	submit func(in *api.Ingress) (api.Receipt, error) // nil: takes it
	answer func(in *api.Ingress) ([]byte, *intercanister.Reject)
	query  func(q *api.Query) (api.QueryResult, error)

	submitted  int
	waiting    int // accepted messages whose answer was not asked for, or is waited for
	signatures atomic.Int64
	settled    atomic.Int64 // calls of Settle
}

type fakeSubnet struct {
	id      principal.Principal
	kind    string
	key     *certify.SubnetKey
	node    *certify.NodeKey
	ranges  certify.Ranges
	tree    certify.Tree
	private map[string]bool
}

type fakeView struct {
	height      uint64
	root        *fakeSubnet
	heights     map[principal.Principal]*certify.SignedState
	subnets     map[principal.Principal]*fakeSubnet
	requests    *sync.Map // by api.RequestID; shared by all views
	delegations *sync.Map
}

func newFakeSubnet(name, kind string, first, last uint64) *fakeSubnet {
	seed := certify.Seed{}.Derive(name, 0)
	s := &fakeSubnet{
		kind: kind, key: certify.NewSubnetKey(seed), node: certify.NewNodeKey(seed),
		ranges:  certify.Ranges{{Start: principal.Canister(first), End: principal.Canister(last)}},
		private: map[string]bool{},
	}
	s.id = s.key.Public().Principal()
	return s
}

func newFakeNetwork(tb testing.TB) *fakeNetwork {
	tb.Helper()
	n := &fakeNetwork{
		now: instant, changed: make(chan struct{}),
		nns: newFakeSubnet("nns", "system", 0, 1<<20-1), app: newFakeSubnet("app", "application", 1<<20, 1<<21-1),
	}
	for _, s := range []*fakeSubnet{n.nns, n.app} {
		s.tree = n.tree(s)
	}
	n.publish()
	return n
}

func (n *fakeNetwork) tree(s *fakeSubnet) (t certify.Tree) {
	for _, other := range []*fakeSubnet{n.nns, n.app} {
		t = t.Set(certify.Leaf(other.key.Public().DER()), certify.SubnetPath(other.id, "public_key")...)
		t = t.Set(certify.Leaf([]byte(other.kind)), certify.SubnetPath(other.id, "type")...)
		t = t.Set(certify.Leaf(other.ranges.Encode()), certify.SubnetPath(other.id, "canister_ranges")...)
		t = t.Set(certify.Leaf(other.node.DER()), certify.NodeKeyPath(other.id, other.node.Principal())...)
		t = t.Set(other.ranges.Shards(10), certify.RangesPath(other.id)...)
	}
	t = t.Set(certify.Leaf(certify.SubnetMetrics{Canisters: 1}.Encode()), certify.SubnetPath(s.id, "metrics")...)
	c := s.ranges[0].Start
	if s == n.nns {
		c = nnsCanister
	}
	t = t.Set(certify.Leaf([]byte("hash")), certify.CanisterPath(c, "module_hash")...)
	t = t.Set(certify.Leaf([]byte("data")), certify.CanisterPath(c, "certified_data")...)
	t = t.Set(certify.Leaf([]byte("1")), certify.CanisterPath(c, "canister_creation_timestamp")...)
	t = t.Set(certify.Leaf([]byte("2")), certify.CanisterPath(c, "last_install_timestamp")...)
	t = t.Set(certify.Leaf(certify.EncodeControllers([]principal.Principal{alice(nil).Sender()})), certify.CanisterPath(c, "controllers")...)
	t = t.Set(certify.Leaf([]byte("open")), certify.MetadataPath(c, "candid:service")...)
	t = t.Set(certify.Leaf([]byte("secret")), certify.MetadataPath(c, "hidden")...)
	s.private["hidden"] = true
	return t
}

// publish makes a view of the present trees; the caller holds the lock, or is the only one that has the network.
func (n *fakeNetwork) publish() {
	v := &fakeView{
		height: 1, root: n.nns, heights: map[principal.Principal]*certify.SignedState{},
		subnets:  map[principal.Principal]*fakeSubnet{n.nns.id: n.nns, n.app.id: n.app},
		requests: &sync.Map{}, delegations: &sync.Map{},
	}
	if n.view != nil {
		v.height = n.view.height + 1
		v.requests, v.delegations = n.view.requests, n.view.delegations
	}
	for _, s := range []*fakeSubnet{n.nns, n.app} {
		s.tree = s.tree.Set(certify.Leaf(certify.Nat(n.now)), "time")
		v.heights[s.id] = certify.NewHeightOnSigned(s.tree, s.key, func() { n.signatures.Add(1) })
	}
	n.view = v
	close(n.changed)
	n.changed = make(chan struct{})
}

func (n *fakeNetwork) View() api.View {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.view == nil {
		return nil
	}
	return n.view
}

func (n *fakeNetwork) Clock() api.Clock { return api.Clock{Now: n.now, Wall: cmp.Or(n.wall, n.now)} }

func (n *fakeNetwork) SubmitAwaited(ctx context.Context, in *api.Ingress) (api.Receipt, api.Pending, error) {
	receipt, err := n.Submit(ctx, in)
	if err != nil || receipt != (api.Receipt{}) {
		return receipt, nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting++
	return receipt, fakePending{n, in.Subnet, in.ID}, nil
}

func (n *fakeNetwork) Submit(_ context.Context, in *api.Ingress) (api.Receipt, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.submitted++
	if n.submit != nil {
		if receipt, err := n.submit(in); err != nil || receipt != (api.Receipt{}) {
			return receipt, err
		}
	}
	n.settle(in)
	return api.Receipt{}, nil
}

func (n *fakeNetwork) Settle(context.Context) error {
	n.settled.Add(1)
	return nil
}

// settle answers a message as the answer function says, "processing" without one.
func (n *fakeNetwork) settle(in *api.Ingress) {
	s := n.nns
	if in.Subnet == n.app.id {
		s = n.app
	}
	set := func(field certify.Label, value []byte) {
		s.tree = s.tree.Set(certify.Leaf(value), certify.RequestStatusPath(in.ID, field)...)
	}
	n.view.requests.Store(in.ID, *in)
	if n.answer == nil {
		return
	}
	reply, reject := n.answer(in)
	if reject != nil {
		set("status", []byte("rejected"))
		set("reject_code", certify.Nat(uint64(reject.Code)))
		set("reject_message", []byte(reject.Text))
		set("error_code", []byte(reject.Error.String()))
	} else {
		set("status", []byte("replied"))
		set("reply", reply)
	}
	n.publish()
}

func (*fakeNetwork) Delivered(principal.Principal, api.RequestID, int) {}

// fakePending is the wait for the answer to a message.
type fakePending struct {
	network *fakeNetwork
	subnet  principal.Principal
	id      api.RequestID
}

// Answer returns no answer: the front end certifies that of the view.
func (p fakePending) Answer(ctx context.Context) (answer api.IngressAnswer, err error) {
	n := p.network
	defer func() {
		n.mu.Lock()
		n.waiting--
		n.mu.Unlock()
	}()
	for {
		n.mu.Lock()
		_, shown := n.view.heights[p.subnet].Tree().Get(certify.RequestStatusPath(p.id, "status")...)
		changed := n.changed
		n.mu.Unlock()
		if shown {
			return answer, nil
		}
		select {
		case <-ctx.Done():
			return answer, context.Cause(ctx)
		case <-changed:
		}
	}
}

func (n *fakeNetwork) Query(_ context.Context, q *api.Query) (api.QueryResult, error) {
	if n.query == nil {
		return api.QueryResult{Reply: append([]byte("echo "), q.Arg...), Time: n.now}, nil
	}
	return n.query(q)
}

func (v *fakeView) Height() uint64            { return v.height }
func (v *fakeView) RootKey() []byte           { return v.root.key.Public().DER() }
func (v *fakeView) Root() principal.Principal { return v.root.id }
func (v *fakeView) Private(canister principal.Principal, section string) bool {
	subnet, ok := v.Host(canister)
	return ok && v.subnets[subnet].private[section]
}

func (v *fakeView) Host(canister principal.Principal) (principal.Principal, bool) {
	for id, s := range v.subnets {
		if s.ranges.Contains(canister) {
			return id, true
		}
	}
	return principal.Principal{}, false
}

func (v *fakeView) DefaultCanister() principal.Principal { return appCanister }

func (v *fakeView) Certified(subnet principal.Principal) *certify.SignedState {
	return v.heights[subnet]
}

func (v *fakeView) Delegation(subnet principal.Principal, layout certify.RangesLayout) *certify.Delegation {
	if subnet == v.root.id {
		return nil
	}
	if made, ok := v.delegations.Load(layout); ok {
		return made.(*certify.Delegation)
	}
	made, _ := v.delegations.LoadOrStore(layout, v.heights[v.root.id].Delegate(subnet, layout))
	return made.(*certify.Delegation)
}

func (v *fakeView) Dated(by int64) api.View {
	other := *v
	other.heights, other.delegations = map[principal.Principal]*certify.SignedState{}, &sync.Map{}
	for id, h := range v.heights {
		other.heights[id] = h.Dated(by)
	}
	return &other
}

func (v *fakeView) Request(_ principal.Principal, id api.RequestID) (sender, receiver, effective principal.Principal, ok bool) {
	found, ok := v.requests.Load(id)
	if !ok {
		return sender, receiver, effective, false
	}
	in := found.(api.Ingress)
	return in.Sender, in.Receiver, in.Effective, true
}

func (v *fakeView) NodeKey(subnet principal.Principal) *certify.NodeKey {
	return v.subnets[subnet].node
}
