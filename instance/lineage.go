package instance

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
)

// lineage identifies the network of an instance: a random id, and the networks it continues. Every network of a
// topology assigns canister ids in the same order, so an id has a meaning only together with the network that assigned
// it.
type lineage struct {
	turn      sync.Mutex // held while the network is kept or replaced: before mu
	mu        sync.Mutex // guards what follows
	id        string
	ancestors []Ancestor // the oldest first
}

// begin gives the network a new id. It continues the ancestors.
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

// at returns the lineage of a network that continues this one's state at a height.
func (l *lineage) at(height uint64) []Ancestor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(slices.Clone(l.ancestors), Ancestor{NetworkID: l.id, Height: height})
}

// Lineage returns the random id of the instance's network, and the networks it continues, the oldest first.
func (i *Instance) Lineage() (id string, ancestors []Ancestor) {
	i.lineage.mu.Lock()
	defer i.lineage.mu.Unlock()
	return i.lineage.id, slices.Clone(i.lineage.ancestors)
}
