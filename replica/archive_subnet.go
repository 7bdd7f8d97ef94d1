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

// archive writes what a subnet has beside its canisters, or reads it into a subnet that
// was just made and has them. modules have what its installations bring.
func (m *subnet) archive(c *archive.Coder, modules *canister.Modules) {
	if c.Reading() {
		m.Deadlines = timers.Table{}
	}
	m.archiveLimits(c)
	m.State.Archive(c)
	archive.Number(c, &m.memory)
	c.Amount(&m.consumed)
	archive.Number(c, &m.transactions)
	if c.Since(3) {
		m.archiveInstructions(c)
	}
	archive.Number(c, &m.swept)
	c.Bool(&m.changed)
	m.archiveBatch(c)
	archive.Slice(c, &m.inbound, archive.MaxItems, func(p *streamMessage) { p.archive(c, nil) })
	unsent := 0
	for to := range m.out {
		archive.Slice(c, &m.out[to], archive.MaxItems, func(p *streamMessage) {
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

func (m *subnet) archiveLimits(c *archive.Coder) {
	l := &m.limits
	for _, n := range []*uint64{
		&l.Message, &l.Query, &l.Inspect, &l.Install, &l.Slice, &l.PauseAfter, &l.StablePages, &l.StablePagesInstall,
		&l.StablePagesQuery, &l.SubnetMemory, &l.HeapDelta, &l.InstallRate,
	} {
		archive.Number(c, n)
	}
	for i := range m.prepaid {
		m.prepaid[i] = m.Fees.Execution(m.limits.Message, i == 1)
		c.Check(m.prepaid[i].Hi == 0, "a message may run %d instructions: nobody can pay for them", m.limits.Message)
	}
}

// archiveBatch writes what messages see of the subnet until the next batch.
func (m *subnet) archiveBatch(c *archive.Coder) {
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
	credited := slices.DeleteFunc(slices.Clone(m.since.credited), func(r *state.Entry) bool { return r.Gone })
	archive.Slice(c, &credited, archive.MaxItems, func(r **state.Entry) { m.ArchiveEntry(c, r) })
	if c.Reading() && !c.Failed() {
		m.since.credited = credited
		c.Check(!slices.Contains(credited, nil), "nobody got cycles")
	}
}

// archive writes or reads a message. That of an output queue has a subnet, where the
// canister is that holds its memory.
func (p *streamMessage) archive(c *archive.Coder, m *subnet) {
	archive.Pointer(c, &p.request, func(q *intercanister.Request) { q.Archive(c) })
	archive.Number(c, &p.call)
	c.Principal(&p.owner)
	p.response.Archive(c)
	archive.Number(c, &p.deadline)
	archive.Number(c, &p.due)
	if m != nil {
		m.ArchiveEntry(c, &p.from)
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
func (m *subnet) archivePrepared(c *archive.Coder) {
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

// archiveInstructions writes the instructions of all rounds, with those of the one that is
// over, which is begun no more.
func (m *subnet) archiveInstructions(c *archive.Coder) {
	all := m.instructions + m.spent
	archive.Number(c, &all)
	if c.Reading() {
		m.instructions, m.spent = all, 0
	}
}
