package instance

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
)

// lineage says which network an instance has: a random id, and the networks it goes on from.
// Canister ids are given out again in the same order by every network of a topology, so an id
// means something only together with the network it was given in.
type lineage struct {
	turn      sync.Mutex // held while the network is kept or replaced: before mu
	mu        sync.Mutex // guards what follows
	id        string
	ancestors []Ancestor // the oldest first
}

// begin gives the network a new id. It goes on from the ancestors.
func (l *lineage) begin(ancestors []Ancestor) {
	id := make([]byte, networkIDBytes)
	_, _ = rand.Read(id) // never fails
	if extra := len(ancestors) - MaxAncestors; extra > 0 {
		// The oldest stays: canisters are mostly made in the beginning.
		ancestors = slices.Delete(slices.Clone(ancestors), 1, 1+extra)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.id, l.ancestors = hex.EncodeToString(id), ancestors
}

// at is the lineage of a network that goes on from this one's state at a height.
func (l *lineage) at(height uint64) []Ancestor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(slices.Clone(l.ancestors), Ancestor{NetworkID: l.id, Height: height})
}

// Lineage is the random id of the instance's network, and the networks it goes on from, the
// oldest first.
func (i *Instance) Lineage() (id string, ancestors []Ancestor) {
	i.lineage.mu.Lock()
	defer i.lineage.mu.Unlock()
	return i.lineage.id, slices.Clone(i.lineage.ancestors)
}
