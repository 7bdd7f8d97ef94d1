package canister

import (
	"slices"
)

// Snapshots are the snapshots of a canister (interface specification, "Canister snapshots"), oldest number first.
// Numbers are never given again.
type Snapshots struct {
	next uint64
	all  []*Snapshot
}

// Len is how many there are.
func (s *Snapshots) Len() int { return len(s.all) }

// All are the snapshots by number. It must not be written.
func (s *Snapshots) All() []*Snapshot { return s.all }

// Get is the snapshot with a number, nil if there is none.
func (s *Snapshots) Get(number uint64) *Snapshot {
	for _, snapshot := range s.all {
		if snapshot.Number == number {
			return snapshot
		}
	}
	return nil
}

// Add gives a snapshot its number and keeps it.
func (s *Snapshots) Add(snapshot *Snapshot) {
	snapshot.Number = s.next
	s.next++
	s.all = append(s.all, snapshot)
}

// Delete closes a snapshot and forgets it.
func (s *Snapshots) Delete(snapshot *Snapshot) {
	s.all = slices.DeleteFunc(s.all, func(other *Snapshot) bool { return other == snapshot })
	snapshot.Close()
}

// Clear deletes all.
func (s *Snapshots) Clear() {
	for _, snapshot := range s.all {
		snapshot.Close()
	}
	s.all = nil
}

// Bytes is the memory the snapshots are billed for.
func (s *Snapshots) Bytes() uint64 {
	var n uint64
	for _, snapshot := range s.all {
		n += snapshot.Bytes()
	}
	return n
}
