package cow

import "maps"

// most limits the entries that may have changed since the last fork to one in this many: beyond it, a fork rebuilds the
// base.
const most = 4

// Map is a map that can fork. The zero value is empty. If keys and values have no pointers, the garbage collector does
// not scan it.
type Map[K comparable, V any] struct {
	own  map[K]V        // of this map alone
	base map[K]V        // shared with forks: never written; no key of own is in it and not gone
	gone map[K]struct{} // keys of base that were deleted
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int { return len(m.own) + len(m.base) - len(m.gone) }

// Get returns the value of a key, false if there is none.
func (m *Map[K, V]) Get(key K) (V, bool) {
	value, ok := m.own[key]
	if !ok && m.base != nil {
		return m.below(key)
	}
	return value, ok
}

// below returns the value of a key in the base.
func (m *Map[K, V]) below(key K) (V, bool) {
	value, ok := m.base[key]
	if ok && len(m.gone) > 0 {
		if _, gone := m.gone[key]; gone {
			var none V
			return none, false
		}
	}
	return value, ok
}

// Set sets the value of a key.
func (m *Map[K, V]) Set(key K, value V) {
	m.drop(key)
	if m.own == nil {
		m.own = make(map[K]V)
	}
	m.own[key] = value
}

// Delete removes the entry of a key, if there is one.
func (m *Map[K, V]) Delete(key K) {
	delete(m.own, key)
	m.drop(key)
}

// drop removes the entry of a key from the base, and releases a base that becomes empty.
func (m *Map[K, V]) drop(key K) {
	if m.base == nil {
		return
	}
	if _, ok := m.base[key]; !ok {
		return
	}
	if m.gone == nil {
		m.gone = make(map[K]struct{})
	}
	m.gone[key] = struct{}{}
	if len(m.gone) == len(m.base) {
		m.base, m.gone = nil, nil
	}
}

// Fork returns a second map with the same entries. It takes time in proportion to the changes since the last fork,
// amortized over many forks even if there are many changes.
func (m *Map[K, V]) Fork() Map[K, V] {
	switch changed := len(m.own) + len(m.gone); {
	case m.base == nil:
		m.base, m.own = m.own, nil
		if len(m.base) == 0 {
			m.base = nil
		}
	case changed > len(m.base)/most:
		m.mergeEntries()
	}
	return Map[K, V]{own: maps.Clone(m.own), base: m.base, gone: maps.Clone(m.gone)}
}

// mergeEntries merges all entries into the base, which forks share from then on.
func (m *Map[K, V]) mergeEntries() {
	all := make(map[K]V, m.Len())
	for key, value := range m.base { // each independently: the order has no effect
		if _, gone := m.gone[key]; !gone {
			all[key] = value
		}
	}
	maps.Copy(all, m.own)
	m.own, m.base, m.gone = nil, all, nil
}
