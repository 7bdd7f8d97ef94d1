package cycles

import "github.com/canisterd/canisterd/archive"

// Archive writes an amount, or reads it.
func (a *Amount) Archive(c *archive.Coder) {
	archive.Number(c, &a.Hi)
	archive.Number(c, &a.Lo)
}
