package harness

import (
	"encoding/binary"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
)

// Blocks are the blocks of a module that a message ran. Messages share them, and none changes them.
type Blocks canister.RanBlocks

// blockRecorder records which blocks each message runs. It belongs to one goroutine.
type blockRecorder struct {
	byCanister map[principal.Principal]*canister.Coverage
	known      map[uint64]*Blocks // by hash: messages that ran the same blocks share them
	seed       maphash.Seed
	scratch    []byte
}

// newBlockRecorder returns a recorder, nil if no blocks are recorded.
func (s *Setup) newBlockRecorder() *blockRecorder {
	if !s.Blocks {
		return nil
	}
	return &blockRecorder{byCanister: make(map[principal.Principal]*canister.Coverage), known: make(map[uint64]*Blocks), seed: maphash.MakeSeed()}
}

// watch makes a network tell the recorder which blocks run.
func (b *blockRecorder) watch(n *replica.Network) {
	if b != nil {
		n.Cover(func(id principal.Principal) canister.Collector { return b.of(id) })
	}
}

func (b *blockRecorder) of(id principal.Principal) *canister.Coverage {
	known := b.byCanister[id]
	if known == nil {
		known = canister.NewRunCoverage()
		b.byCanister[id] = known
	}
	return known
}

// take returns the blocks of a canister that ran since the last call.
func (b *blockRecorder) take(id principal.Principal) (all []*Blocks) {
	if b == nil {
		return nil
	}
	for _, ran := range b.of(id).TakeRan() {
		all = append(all, b.shared(Blocks(ran)))
	}
	return all
}

// takeAll returns the blocks of all canisters that ran since the last calls.
func (b *blockRecorder) takeAll() (all []*Blocks) {
	if b == nil {
		return nil
	}
	for _, id := range slices.SortedFunc(maps.Keys(b.byCanister), principal.Principal.Compare) {
		all = append(all, b.take(id)...)
	}
	return all
}

// shared returns the known blocks that are equal to some, or these.
func (b *blockRecorder) shared(ran Blocks) *Blocks {
	b.scratch = append(b.scratch[:0], ran.Module[:]...)
	for _, bit := range ran.Bits {
		b.scratch = binary.LittleEndian.AppendUint32(b.scratch, bit)
	}
	hash := maphash.Bytes(b.seed, b.scratch)
	if known := b.known[hash]; known != nil && known.Module == ran.Module && slices.Equal(known.Bits, ran.Bits) {
		return known
	}
	if len(b.known) >= maxSharedBlocks {
		clear(b.known)
	}
	b.known[hash] = &ran
	return &ran
}
