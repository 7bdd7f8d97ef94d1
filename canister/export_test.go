package canister

import "github.com/canisterd/canisterd/internal/sourcelines"

// IdleViews is how many views of the canister's state wait for the next query.
func (c *Canister) IdleViews() int {
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	return int(c.state.views)
}

// LineCache is the cache of source lines.
type LineCache struct{ *sources }

// NewLineCache returns an empty cache.
func NewLineCache() *LineCache { return &LineCache{newSources()} }

// Keep adds the lines of a module.
func (c *LineCache) Keep(module [32]byte, lines *sourcelines.Lines) { c.lines.keep(module, lines) }

// Has reports whether the lines of a module are kept, and counts as a use of them.
func (c *LineCache) Has(module [32]byte) bool { _, ok := c.lines.find(module); return ok }

// WhileOffsetsAreLocked calls do while another goroutine could be in the cache of offsets.
func (c *LineCache) WhileOffsetsAreLocked(do func()) {
	c.offsets.mu.Lock()
	defer c.offsets.mu.Unlock()
	do()
}

// OffsetRoom is how many bytes the offsets of rewritten code may take.
func (c *LineCache) OffsetRoom() int { return c.offsets.room }
