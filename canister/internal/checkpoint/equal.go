//go:build !race

package checkpoint

import "bytes"

// Equal is bytes.Equal for ranges that may be large.
func Equal(a, b []byte) bool { return bytes.Equal(a, b) }
