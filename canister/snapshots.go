package canister

import (
	"slices"
)

// Snapshots are the snapshots of a canister (interface specification, "Canister snapshots"), lowest number first.
// Numbers are never reused.
type Snapshots struct {
	next uint64
	all  []*Snapshot
}

// Len returns the number of snapshots.
func (s *Snapshots) Len() int { return len(s.all) }

// All returns the snapshots by number. The caller must not write the slice.
func (s *Snapshots) All() []*Snapshot { return s.all }

// Get returns the snapshot with a number, nil if there is none.
func (s *Snapshots) Get(number uint64) *Snapshot {
	for _, snapshot := range s.all {
		if snapshot.Number == number {
			return snapshot
		}
	}
	return nil
}

// Add numbers a snapshot and keeps it.
func (s *Snapshots) Add(snapshot *Snapshot) {
	snapshot.Number = s.next
	s.next++
	s.all = append(s.all, snapshot)
}

// Delete closes and removes a snapshot.
func (s *Snapshots) Delete(snapshot *Snapshot) {
	s.all = slices.DeleteFunc(s.all, func(other *Snapshot) bool { return other == snapshot })
	snapshot.Close()
}

// Clear deletes all snapshots.
func (s *Snapshots) Clear() {
	for _, snapshot := range s.all {
		snapshot.Close()
	}
	s.all = nil
}

// Bytes returns the memory that the snapshots are billed for.
func (s *Snapshots) Bytes() uint64 {
	var n uint64
	for _, snapshot := range s.all {
		n += snapshot.Bytes()
	}
	return n
}
