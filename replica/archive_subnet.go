package replica

import (
	"bytes"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/archive"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// archive writes what a subnet has beside its canisters, or reads it into a machine that
// was just made and has them. modules have what its installations bring.
func (m *machine) archive(c *archive.Coder, modules *canister.Modules) {
	if c.Reading() {
		m.Deadlines = timers.Table{}
	}
	m.archiveLimits(c)
	m.State.Archive(c)
	archive.Number(c, &m.memory)
	c.Amount(&m.consumed)
	archive.Number(c, &m.transactions)
	archive.Number(c, &m.swept)
	c.Bool(&m.changed)
	m.archiveWave(c)
	archive.Slice(c, &m.inbound, archive.MaxItems, func(p *parcel) { p.archive(c, nil) })
	unsent := 0
	for to := range m.out {
		archive.Slice(c, &m.out[to], archive.MaxItems, func(p *parcel) {
			p.archive(c, m)
			unsent++
		})
	}
	m.unsent = unsent
	uploaded := make(map[[32]byte][]byte)
	archive.Slice(c, &m.preparing, archive.MaxItems, func(p *preparation) { p.archive(c, uploaded) })
	m.archivePrepared(c)
	m.archiveParked(c, modules)
	if c.Reading() && !c.Failed() {
		m.checkArchived(c)
	}
}

func (m *machine) archiveLimits(c *archive.Coder) {
	l := &m.limits
	for _, n := range []*uint64{
		&l.Message, &l.Query, &l.Inspect, &l.Install, &l.Slice, &l.PauseAfter, &l.StablePages, &l.StablePagesInstall,
		&l.StablePagesQuery, &l.SubnetMemory, &l.HeapDelta, &l.InstallRate,
	} {
		archive.Number(c, n)
	}
	for i := range m.prepaid {
		m.prepaid[i] = m.Fees.Execution(m.limits.Message, i == 1)
	}
}

// archiveWave writes what messages see of the subnet until the next wave.
func (m *machine) archiveWave(c *archive.Coder) {
	sub := *m.sub
	archive.Number(c, &sub.MemoryUsed)
	archive.Number(c, &sub.Time)
	sub.Limits = m.limits
	if c.Reading() {
		m.sub = &sub
	}
	archive.Number(c, &m.since.guaranteed)
	archive.Number(c, &m.since.futures)
	archive.Number(c, &m.since.promised)
	credited := slices.DeleteFunc(slices.Clone(m.since.credited), func(r *state.Resident) bool { return r.Gone })
	archive.Slice(c, &credited, archive.MaxItems, func(r **state.Resident) { m.ArchiveResident(c, r) })
	if c.Reading() && !c.Failed() {
		m.since.credited = credited
		c.Check(!slices.Contains(credited, nil), "nobody got cycles")
	}
}

// archive writes or reads a parcel. That of an output queue has a machine, where the
// canister is that holds its memory.
func (p *parcel) archive(c *archive.Coder, m *machine) {
	archive.Pointer(c, &p.request, func(q *intercanister.Request) { q.Archive(c) })
	archive.Number(c, &p.call)
	c.Principal(&p.owner)
	p.response.Archive(c)
	archive.Number(c, &p.deadline)
	archive.Number(c, &p.due)
	if m != nil {
		m.ArchiveResident(c, &p.from)
	}
}

// archive writes or reads a command that waits for its module, which is written with the
// first that does.
func (p *preparation) archive(c *archive.Coder, uploaded map[[32]byte][]byte) {
	p.in.Archive(c)
	c.Principal(&p.target)
	archive.Hash(c, &p.hash)
	if c.Bool(&p.ready); p.ready {
		return
	}
	module, known := uploaded[p.hash]
	if !known {
		module = p.module
		c.Bytes(&module, canister.MaxModuleBytes)
		uploaded[p.hash] = module
	}
	if c.Reading() {
		p.module = module
	}
}

// archivePrepared writes what is known of modules that were compiled beside the network,
// by their hashes.
func (m *machine) archivePrepared(c *archive.Coder) {
	hashes := slices.SortedFunc(maps.Keys(m.prepared), func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	archive.Slice(c, &hashes, archive.MaxItems, func(hash *[32]byte) {
		archive.Hash(c, hash)
		reject := m.prepared[*hash]
		intercanister.ArchiveReject(c, &reject)
		if !c.Reading() {
			return
		}
		if m.prepared == nil {
			m.prepared = make(map[[32]byte]*intercanister.Reject)
		}
		m.prepared[*hash] = reject
	})
}

// checkArchived looks whether what was read fits together, as far as something else would
// be looked for in vain.
func (m *machine) checkArchived(c *archive.Coder) {
	taken := m.begun()
	if m.CheckArchived(c, taken); c.Failed() {
		return
	}
	for i := range m.Postponed {
		c.Check(m.net.management.Postponed(m.Postponed[i].Method) != nil, "method %q puts nothing off", m.Postponed[i].Method)
	}
	for i := range m.Signing.Pending {
		c.Check(m.net.signing.signer != nil && slices.Contains(m.Signing.Keys, m.Signing.Pending[i].Key), "there is no key for a signature")
	}
	for _, in := range taken.Aside {
		c.Check(m.isCommand(in), "a call of the management canister is nobody's")
	}
	outgoing := make(map[*state.Resident]int)
	for to, queue := range m.out {
		for i := range queue {
			p := &queue[i]
			outgoing[p.from]++
			c.Check(to != m.position && p.fits(m.net), "a message to subnet %d belongs to nobody", to)
		}
	}
	for _, h := range m.Kept.All() {
		if h.Kind == state.KindRequest {
			outgoing[m.Residents.Get(h.Request.Sender)]++
		}
	}
	for r := range m.Residents.All() {
		c.Check(r.Outgoing == outgoing[r], "canister %s has %d messages to send, and %d wait", r.ID(), r.Outgoing, outgoing[r])
	}
	for i := range m.inbound {
		c.Check(m.inbound[i].fits(m.net), "a message from another subnet belongs to nobody")
	}
}

// begun is what is not over and in no queue.
func (m *machine) begun() *state.Taken {
	t := &state.Taken{Parked: make(intercanister.Parked, len(m.parked))}
	for i := range m.preparing {
		t.Aside = append(t.Aside, &m.preparing[i].in)
	}
	for _, j := range m.parked {
		for i := range j.resident.Waiting {
			t.Aside = append(t.Aside, &j.resident.Waiting[i])
		}
		if j.install != nil {
			t.Installing = append(t.Installing, j.install.command.Ticket())
		} else {
			t.Parked[j.context] = j.in.Call
		}
	}
	return t
}

// isCommand reports whether an input is a call of the management canister that somebody
// has made.
func (m *machine) isCommand(in *intercanister.Input) bool {
	return in.Source == intercanister.SourceIngress || in.Source == intercanister.SourceRequests && m.net.routes.find(in.Request.Sender) >= 0
}

// fits reports whether a parcel is of a canister that some subnet hosts.
func (p *parcel) fits(n *Network) bool {
	owner := p.owner
	if p.request != nil {
		owner = p.request.Sender
	}
	return n.routes.find(owner) >= 0 && (p.request != nil || p.response.Reject != nil || p.response.Reply != nil || p.call == 0)
}
