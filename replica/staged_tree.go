package replica

import (
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// stagedTree is a subnet's certified state tree at one height, staged as an older tree and
// the changes since. It is built when a reader first asks for it: most heights are never
// certified, and inserting a request into the tree costs more than executing it. It is
// immutable to its readers and safe for concurrent use.
type stagedTree struct {
	subnet    principal.Principal
	key       *certify.SubnetKey
	base      certify.Tree
	canisters changeParts[canisterChange] // since base, in order; immutable, though the owner appends to the last array
	requests  changeParts[requestChange]  // likewise
	ended     ended
	signed    HeightSink

	making sync.Mutex // held while made is built
	made   atomic.Pointer[certify.Height]
	hashed atomic.Bool // HashTrees was called
}

// ended is the content of the tree except canisters and requests, from the end of a round.
type ended struct {
	time, height uint64 // ns
	metrics      certify.SubnetMetrics
}

// height returns the tree, ready to be signed. The first call builds it.
func (t *stagedTree) height() *certify.Height {
	if h := t.made.Load(); h != nil {
		return h
	}
	t.making.Lock()
	defer t.making.Unlock()
	if h := t.made.Load(); h != nil {
		return h
	}
	tree := apply(t.base, t.canisters, t.requests)
	tree = tree.Set(certify.Leaf(t.ended.metrics.Encode()), "subnet", certify.LabelOf(t.subnet), "metrics")
	tree = tree.Set(certify.Leaf(certify.Nat(t.ended.time)), "time")
	h := certify.NewHeightOnSigned(tree, t.key, t.onSigned())
	t.made.Store(h)
	return h
}

// onSigned returns the function to call when the height has been signed, nil for none.
func (t *stagedTree) onSigned() func() {
	if t.signed == nil {
		return nil
	}
	return func() { t.signed(t.subnet, t.ended.height, t.ended.time) }
}

// stage returns the tree of the last round for a reader. Views.mu is held.
func (m *subnet) stage(signed HeightSink) *stagedTree {
	m.indexNew()
	return &stagedTree{
		subnet: m.ID, key: m.key, base: m.record.base, canisters: m.record.canisters.publish(), requests: m.record.requests.publish(),
		ended: m.ended, signed: signed,
	}
}

// indexNew adds the requests that no reader has seen to the read index. Views.mu is held.
func (m *subnet) indexNew() {
	requests := &m.record.requests
	m.net.index.add(m.ID, requests.list[requests.published:])
}

// staged returns the tree of the last round.
func (m *subnet) staged() *stagedTree {
	if m.ahead != nil {
		return m.ahead
	}
	return m.net.View().shown(m).staged
}

// recordRound records the changes of a round. Views.mu is held, and no reader has a view of it yet.
func (m *subnet) recordRound() {
	for _, r := range m.Touched {
		m.record.canister(&r.Staged, m.canisterChange(r))
	}
	for i := range m.Answered {
		m.recordRequest(&m.Answered[i])
	}
	m.Transactions += uint64(m.executed)
	m.Untouch()
	m.record.compact(m.History.Record)
	m.TreeChanged, m.ahead = false, nil
	m.ended = ended{time: m.Time, height: m.Height, metrics: certify.SubnetMetrics{
		Canisters: uint64(m.Canisters.Len()), StateBytes: m.Environment.MemoryUsed, UpdateTransactions: m.Transactions,
		ConsumedCyclesLow: m.Consumed.Lo, ConsumedCyclesHigh: m.Consumed.Hi,
	}}
}

// recordRequest records the change of a request, or its removal if it has no number.
func (m *subnet) recordRequest(a *state.ChangedRequest) {
	if a.Number == 0 {
		if !m.record.prune(a.ID, a.Recorded) {
			m.net.index.remove(m.ID, a.ID)
		}
		return
	}
	in := m.History.At(a.Number)
	if number := m.record.request(requestChangeOf(in), in.Recorded); number != in.Recorded {
		m.History.Record(a.Number, number)
	}
}

// Metrics returns the metrics in the last staged tree (state.Host).
func (m *subnet) Metrics() (metrics certify.SubnetMetrics, instructions uint64) {
	return m.ended.metrics, m.Instructions
}

// rebase makes the last staged tree the base of the next if a reader has built it. It builds
// the tree if too much has changed since the base.
func (m *subnet) rebase() {
	t := m.ahead
	if view := m.net.views.latest.Load(); t == nil && view != nil {
		t = view.shown(m).staged
	}
	made := t != nil && t.made.Load() != nil
	if !made && !m.record.full() {
		return
	}
	var tree certify.Tree
	if t != nil {
		tree = t.height().Tree()
	} else {
		tree = apply(m.record.base, m.record.canisters.present(), m.record.requests.present())
	}
	m.net.views.mu.Lock()
	defer m.net.views.mu.Unlock()
	m.indexNew()
	m.record.rebase(tree)
}

// canisterChange returns the change of a canister, and updates its module in the read index.
func (m *subnet) canisterChange(r *state.Entry) canisterChange {
	c := r.Canister
	if now, here := m.net.find(c.ID); here == nil || now == m {
		m.net.index.setModule(c.ID, c.Module()) // a canister that moved is shown where it is
	}
	if r.Gone {
		return canisterChange{id: c.ID, gone: true}
	}
	r.Staged.Certified = c.Certified
	return canisterChange{
		id: c.ID, controllers: c.Settings.Controllers, created: c.Created, installed: c.Installed, certified: c.Certified, module: c.Module(),
	}
}

func requestChangeOf(in *state.Ingress) requestChange {
	return requestChange{
		id: in.ID, number: in.Number, status: in.Status, reply: in.Reply, reject: in.Reject,
		parties: RequestParties{in.Sender, in.Receiver, in.Effective},
	}
}
