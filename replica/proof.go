package replica

import (
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
	subnet  principal.Principal
	key     *certify.SubnetKey
	base    certify.Tree
	changes []change // in order; the owner appends behind them, nobody writes them
	time    uint64
	metrics certify.SubnetMetrics

	making sync.Mutex
	made   atomic.Pointer[certify.Height]
}

// change is one part of a certified tree that is another now.
type change struct {
	canister certify.Label // "" for a request
	node     certify.Node  // of a canister
	gone     bool

	id     RequestID // of a request
	status Status
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
	requests := make([]certify.Change, 0, len(p.changes))
	tree := p.base
	for i := range p.changes {
		switch c := &p.changes[i]; {
		case c.canister == "":
			requests = append(requests, certify.Change{Label: certify.Label(c.id[:]), Node: c.request(), Gone: c.gone})
		case c.gone:
			tree = tree.Delete("canister", c.canister)
		default:
			tree = tree.Set(c.node, "canister", c.canister)
		}
	}
	tree = tree.Apply(requests, "request_status")
	tree = tree.Set(certify.Leaf(p.metrics.Encode()), "subnet", certify.LabelOf(p.subnet), "metrics")
	tree = tree.Set(certify.Leaf(certify.Nat(p.time)), "time")
	h := certify.NewHeight(tree, p.key)
	p.made.Store(h)
	return h
}

// request is the node that shows where an ingress message stands.
func (c *change) request() certify.Node {
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
		m.changes = append(m.changes, m.canisterChange(r))
	}
	for _, id := range m.Answered {
		m.changes = append(m.changes, m.requestChange(id))
	}
	m.transactions += uint64(m.executed)
	m.Untouch()
	m.changed = false
	m.proof = &proof{
		subnet: m.ID, key: m.key, base: m.tree, changes: m.changes, time: m.Time,
		metrics: certify.SubnetMetrics{Canisters: uint64(m.Residents.Len()), StateBytes: m.sub.MemoryUsed, UpdateTransactions: m.transactions},
	}
	return m.proof
}

// rebase takes the tree of the last proof for the base of the next, where it
// was made, or makes it where too much has changed since the base.
func (m *machine) rebase() {
	if m.proof == nil || m.proof.made.Load() == nil && len(m.changes) < MaxUnproved {
		return
	}
	m.tree, m.changes = m.proof.height().Tree(), nil
}

func (m *machine) canisterChange(r *state.Resident) change {
	c := r.Canister
	label := certify.LabelOf(c.ID)
	m.net.facts.coded(c.ID, c.Module())
	if r.Gone {
		return change{canister: label, gone: true}
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
	return change{canister: label, node: certify.Map(append(fields, codeEntries(c)...)...)}
}

func (m *machine) requestChange(id RequestID) change {
	in := m.History.Find(id)
	if in == nil {
		m.net.facts.pruned(m.ID, id)
		return change{id: id, gone: true}
	}
	return change{id: id, status: in.Status, reply: in.Reply, reject: in.Reject}
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
