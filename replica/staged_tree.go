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
	made   atomic.Pointer[certify.SignedState]
	hashed atomic.Bool // HashTrees was called
}

// ended is the content of the tree except canisters and requests, from the end of a round.
type ended struct {
	time, height uint64 // ns
	metrics      certify.SubnetMetrics
}

// height returns the tree, ready to be signed. The first call builds it.
func (t *stagedTree) height() *certify.SignedState {
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
func (s *subnet) stage(signed HeightSink) *stagedTree {
	s.indexNew()
	return &stagedTree{
		subnet: s.ID, key: s.key, base: s.record.base, canisters: s.record.canisters.publish(), requests: s.record.requests.publish(),
		ended: s.ended, signed: signed,
	}
}

// indexNew adds the requests that no reader has seen to the read index. Views.mu is held.
func (s *subnet) indexNew() {
	requests := &s.record.requests
	s.net.index.add(s.ID, requests.list[requests.published:])
}

// staged returns the tree of the last round.
func (s *subnet) staged() *stagedTree {
	if s.ahead != nil {
		return s.ahead
	}
	return s.net.View().shown(s).staged
}

// recordRound records the changes of a round. Views.mu is held, and no reader has a view of it yet.
func (s *subnet) recordRound() {
	for _, r := range s.Touched {
		s.record.canister(&r.Staged, s.canisterChange(r))
	}
	for i := range s.Answered {
		s.recordRequest(&s.Answered[i])
	}
	s.Transactions += uint64(s.executed)
	s.Untouch()
	s.record.compact(s.History.Record)
	s.TreeChanged, s.ahead = false, nil
	e := &s.ended
	e.time, e.height = s.Time, s.Height
	e.metrics.Canisters, e.metrics.StateBytes = uint64(s.Canisters.Len()), s.Environment.MemoryUsed
	e.metrics.UpdateTransactions = s.Transactions
	e.metrics.ConsumedCyclesLow, e.metrics.ConsumedCyclesHigh = s.Consumed.Lo, s.Consumed.Hi
}

// recordRequest records the change of a request, or its removal if it has no number.
func (s *subnet) recordRequest(a *state.ChangedRequest) {
	if a.Number == 0 {
		if !s.record.prune(a.ID, a.Recorded) {
			s.net.index.remove(s.ID, a.ID)
		}
		return
	}
	in := s.History.At(a.Number)
	if number := s.record.request(requestChangeOf(in), in.Recorded); number != in.Recorded {
		s.History.Record(a.Number, number)
	}
}

// Metrics returns the metrics in the last staged tree (state.Host).
func (s *subnet) Metrics() (metrics certify.SubnetMetrics, instructions uint64) {
	return s.ended.metrics, s.Instructions
}

// rebase makes the last staged tree the base of the next if a reader has built it. It builds
// the tree if too much has changed since the base.
func (s *subnet) rebase() {
	t := s.ahead
	if view := s.net.views.latest.Load(); t == nil && view != nil {
		t = view.shown(s).staged
	}
	made := t != nil && t.made.Load() != nil
	if !made && !s.record.full() {
		return
	}
	var tree certify.Tree
	if t != nil {
		tree = t.height().Tree()
	} else {
		tree = apply(s.record.base, s.record.canisters.present(), s.record.requests.present())
	}
	s.net.views.mu.Lock()
	defer s.net.views.mu.Unlock()
	s.indexNew()
	s.record.rebase(tree)
}

// canisterChange returns the change of a canister, and updates its module in the read index.
func (s *subnet) canisterChange(r *state.Entry) canisterChange {
	c := r.Canister
	if now, here := s.net.find(c.ID); here == nil || now == s {
		s.net.index.setModule(c.ID, c.Module()) // a canister that moved is shown where it is
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
