package replica

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/certify"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// proof is a subnet's certified state tree at one height, made when somebody
// first asks for it: most heights are never proved, and putting a request into
// the tree costs more than executing it. Until then it is an older tree and what
// has changed since. It is immutable to its readers and safe for any number.
type proof struct {
	subnet    principal.Principal
	key       *certify.SubnetKey
	base      certify.Tree
	canisters []certify.Change // since base, in order; the owner appends behind them, nobody writes them
	requests  []requestChange  // as canisters
	time, at  uint64           // ns, height
	signed    HeightSink
	metrics   certify.SubnetMetrics

	making sync.Mutex
	made   atomic.Pointer[certify.Height]
}

// requestChange is where an ingress message stands now. The node that shows it
// is not made before somebody asks.
type requestChange struct {
	id     RequestID
	status Status
	gone   bool
	reply  []byte
	reject *intercanister.Reject
}

// height is the tree, ready to be signed.
func (p *proof) height() *certify.Height {
	if h := p.made.Load(); h != nil {
		return h
	}
	p.making.Lock()
	defer p.making.Unlock()
	if h := p.made.Load(); h != nil {
		return h
	}
	tree := p.base.Apply(slices.Clone(p.canisters), "canister")
	tree = tree.Apply(lastOfEach(p.requests), "request_status")
	tree = tree.Set(certify.Leaf(p.metrics.Encode()), "subnet", certify.LabelOf(p.subnet), "metrics")
	tree = tree.Set(certify.Leaf(certify.Nat(p.time)), "time")
	h := certify.NewToldHeight(tree, p.key, p.told())
	p.made.Store(h)
	return h
}

// told tells whoever wants to know that the height was signed.
func (p *proof) told() func() {
	if p.signed == nil {
		return nil
	}
	return func() { p.signed(p.subnet, p.at, p.time) }
}

// lastOfEach is the last change of every request, as changes of the tree.
func lastOfEach(requests []requestChange) []certify.Change {
	sorted := make([]*requestChange, len(requests))
	for i := range requests {
		sorted[i] = &requests[i]
	}
	slices.SortStableFunc(sorted, func(a, b *requestChange) int { return bytes.Compare(a.id[:], b.id[:]) })
	changes := make([]certify.Change, 0, len(sorted))
	for i, c := range sorted {
		if i+1 < len(sorted) && sorted[i+1].id == c.id {
			continue
		}
		changes = append(changes, certify.Change{Label: certify.Label(c.id[:]), Node: c.node(), Gone: c.gone})
	}
	return changes
}

// bytes is what the answer takes.
func (c *requestChange) bytes() int {
	if c.reject != nil {
		return len(c.reply) + len(c.reject.Text)
	}
	return len(c.reply)
}

// node is what shows where an ingress message stands.
func (c *requestChange) node() certify.Node {
	if c.gone {
		return certify.Node{}
	}
	fields := []certify.Entry{{Label: "status", Node: certify.Leaf([]byte(c.status.String()))}}
	switch c.status {
	case Replied:
		fields = append(fields, certify.Entry{Label: "reply", Node: certify.Leaf(c.reply)})
	case Rejected:
		fields = append(fields,
			certify.Entry{Label: "reject_code", Node: certify.Leaf(certify.Nat(uint64(c.reject.Code)))},
			certify.Entry{Label: "reject_message", Node: certify.Leaf([]byte(c.reject.Text))},
			certify.Entry{Label: "error_code", Node: certify.Leaf([]byte(c.reject.Error.String()))})
	}
	return certify.Map(fields...)
}

// prove notes what changed since the last proof, and gives the next.
func (m *machine) prove() *proof {
	m.rebase()
	for _, r := range m.Touched {
		m.canisters = append(m.canisters, m.canisterChange(r))
	}
	for _, id := range m.Answered {
		change := m.requestChange(id)
		m.requests = append(m.requests, change)
		m.unproved += change.bytes()
	}
	m.transactions += uint64(m.executed)
	m.Untouch()
	m.changed = false
	m.proof = &proof{
		subnet: m.ID, key: m.key, base: m.tree, canisters: m.canisters, requests: m.requests, time: m.Time, at: m.Height, signed: m.net.config.Signed,
		metrics: certify.SubnetMetrics{
			Canisters: uint64(m.Residents.Len()), StateBytes: m.sub.MemoryUsed, UpdateTransactions: m.transactions,
			ConsumedCyclesLow: m.consumed.Lo, ConsumedCyclesHigh: m.consumed.Hi,
		},
	}
	return m.proof
}

// Metrics are those of the last proof (state.Machine).
func (m *machine) Metrics() (metrics certify.SubnetMetrics, instructions uint64) {
	if m.proof != nil {
		metrics = m.proof.metrics
	}
	return metrics, m.instructions
}

// rebase takes the tree of the last proof for the base of the next, where it
// was made, or makes it where too much has changed since the base.
func (m *machine) rebase() {
	if m.proof == nil || m.proof.made.Load() == nil && len(m.canisters)+len(m.requests) < MaxUnproved && m.unproved < MaxUnprovedBytes {
		return
	}
	m.tree, m.canisters, m.requests, m.unproved = m.proof.height().Tree(), nil, nil, 0
}

func (m *machine) canisterChange(r *state.Resident) certify.Change {
	c := r.Canister
	label := certify.LabelOf(c.ID)
	if now, here := m.net.resident(c.ID); here == nil || now == m {
		m.net.facts.coded(c.ID, c.Module()) // a canister that moved is shown where it is
	}
	if r.Gone {
		return certify.Change{Label: label, Gone: true}
	}
	r.Proved.Certified = c.Certified
	fields := []certify.Entry{
		{Label: "controllers", Node: certify.Leaf(certify.EncodeControllers(c.Settings.Controllers))},
		{Label: "canister_creation_timestamp", Node: certify.Leaf(certify.Nat(c.Created))},
	}
	if c.Certified != nil {
		fields = append(fields, certify.Entry{Label: "certified_data", Node: certify.Leaf(c.Certified)})
	}
	if c.Installed != 0 {
		fields = append(fields, certify.Entry{Label: "last_install_timestamp", Node: certify.Leaf(certify.Nat(c.Installed))})
	}
	return certify.Change{Label: label, Node: certify.Map(append(fields, codeEntries(c)...)...)}
}

func (m *machine) requestChange(id RequestID) requestChange {
	in := m.History.Find(id)
	if in == nil {
		m.net.facts.pruned(m.ID, id)
		return requestChange{id: id, gone: true}
	}
	return requestChange{id: id, status: in.Status, reply: in.Reply, reject: in.Reject}
}

// codeEntries are what the tree shows of a canister's module.
func codeEntries(c *canister.Canister) []certify.Entry {
	module := c.Module()
	if module == nil {
		return nil
	}
	hash := module.Hash()
	entries := []certify.Entry{{Label: "module_hash", Node: certify.Leaf(hash[:])}}
	if sections := module.Sections(); len(sections) > 0 {
		metadata := make([]certify.Entry, len(sections))
		for i, s := range sections {
			metadata[i] = certify.Entry{Label: certify.Label(s.Name), Node: certify.Leaf(s.Content)}
		}
		entries = append(entries, certify.Entry{Label: "metadata", Node: certify.Map(metadata...)})
	}
	return entries
}
