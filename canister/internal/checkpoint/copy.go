package checkpoint

// The runtime cannot stop the world during one call of copy or clear: for gigabytes it would wait a second. It can stop
// at a function call, so each piece is one.

// piece is how many bytes are copied at a time: 1 MiB takes some 0.1 ms. No result depends on it.
const piece = 1 << 20

// Copy is the built-in copy of ranges that may be large and do not overlap.
func Copy(dst, src []byte) int {
	n := min(len(dst), len(src))
	dst, src = dst[:n], src[:n]
	for len(src) > piece {
		copyPiece(dst, src[:piece])
		dst, src = dst[piece:], src[piece:]
	}
	copyPiece(dst, src)
	return n
}

//go:noinline
func copyPiece(dst, src []byte) { copy(dst, src) }

// Clear is the built-in clear of a range that may be large.
func Clear(b []byte) {
	for len(b) > piece {
		clearPiece(b[:piece])
		b = b[piece:]
	}
	clearPiece(b)
}

//go:noinline
func clearPiece(b []byte) { clear(b) }
