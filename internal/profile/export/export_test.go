package export

import (
	"io"

	"github.com/canisterd/canisterd/internal/profile"
)

// Decode reads a file without compression.
var Decode = decode

// Encode writes the file of Pprof without compression.
func Encode(w io.Writer, p *profile.Profile, names Names) error {
	return pprofFile(p, names, Taken{}).WriteUncompressed(w)
}
