package wasm

import "fmt"

// heldState is what Revert restores besides the heap.
type heldState struct {
	active   bool
	globals  []uint64
	segments [][]byte
}

// Hold saves heap and globals of the open message for Revert: once for each Hold, before the message ends. Only
// messages of a snapshot can be held: they run several functions in sequence, and may have to undo one of them.
func (g *Guest) Hold() error {
	if g.origin == nil && !g.slot.volatile {
		panic("wasm: hold of a guest that is no snapshot")
	}
	g.begin()
	l := g.resident
	g.slot.mu.Lock()
	err := l.heap.hold()
	g.slot.mu.Unlock()
	if err != nil {
		return fmt.Errorf("remember the heap of a query: %w", err)
	}
	h := &g.held
	if h.globals == nil {
		h.globals = make([]uint64, g.code.layout.words)
	}
	readGlobals(l.globals, h.globals)
	h.segments = append(h.segments[:0], l.segments...)
	h.active = true
	return nil
}

// Revert restores heap and globals of the last Hold. The heap does not shrink: its growth since then is zero.
func (g *Guest) Revert() error {
	if !g.held.active {
		panic("wasm: revert of a message that was not held")
	}
	l := g.resident
	g.slot.mu.Lock()
	defer g.slot.mu.Unlock()
	if err := l.heap.revert(); err != nil {
		return fmt.Errorf("undo a part of a query: %w", err)
	}
	g.compared = false
	writeGlobals(l.globals, g.held.globals)
	copy(l.segments, g.held.segments)
	g.discardHeld()
	return nil
}

// discardHeld discards what was held. Needs the slot's lock.
func (g *Guest) discardHeld() {
	g.held.active = false
	clear(g.held.segments)
	if g.resident != nil {
		g.resident.heap.release()
	}
}
