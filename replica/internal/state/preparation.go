package state

import (
	"bytes"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
)

// Preparation is a command that waits for its module, or for an earlier command about the same canister that does.
type Preparation struct {
	In     intercanister.Input
	Target principal.Principal
	Hash   [32]byte
	Module []byte // as uploaded
	Ready  bool
}

// archivePreparations writes the commands that wait for their modules, and which modules are ready.
func (s *State) archivePreparations(c *archive.Coder) {
	uploaded := make(map[[32]byte][]byte)
	archive.Slice(c, &s.Preparing, archive.MaxItems, func(p *Preparation) { p.archive(c, uploaded) })
	s.archivePrepared(c)
}

// archive writes or reads a command that waits for its module. The first such command has the module.
func (p *Preparation) archive(c *archive.Coder, uploaded map[[32]byte][]byte) {
	p.In.Archive(c)
	c.Principal(&p.Target)
	archive.Hash(c, &p.Hash)
	if c.Bool(&p.Ready); p.Ready {
		return
	}
	module, known := uploaded[p.Hash]
	if !known {
		module = p.Module
		c.Bytes(&module, canister.MaxModuleBytes)
		uploaded[p.Hash] = module
	}
	if c.Reading() {
		p.Module = module
	}
}

// archivePrepared writes the results for modules that were compiled in the background, by their hashes.
func (s *State) archivePrepared(c *archive.Coder) {
	hashes := slices.SortedFunc(maps.Keys(s.Prepared), func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	archive.Slice(c, &hashes, archive.MaxItems, func(hash *[32]byte) {
		archive.Hash(c, hash)
		reject := s.Prepared[*hash]
		intercanister.ArchiveReject(c, &reject)
		if !c.Reading() {
			return
		}
		if s.Prepared == nil {
			s.Prepared = make(map[[32]byte]*intercanister.Reject)
		}
		s.Prepared[*hash] = reject
	})
}
