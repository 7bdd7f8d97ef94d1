package ic0

// Stable is the stable memory of a canister as one message sees it: what it
// writes is seen by itself at once and by others when it is committed.
type Stable interface {
	// Pages is the size in pages of 64 KiB.
	Pages() uint64
	// Grow makes it larger by pages, filled with zeros.
	Grow(pages uint64) error
	// Read fills dst with the bytes from offset on, which must be within bounds.
	Read(dst []byte, offset uint64) error
	// Write puts src at offset, which must be within bounds.
	Write(src []byte, offset uint64) error
	Close()
}
