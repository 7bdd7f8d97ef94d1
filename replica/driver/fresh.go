package driver

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// FreshID returns an id for an unsigned message. The same messages in the same order at the same heights have the same
// ids; a forked or restored network may already know one, and then the caller must take the next.
func (d *Driver) FreshID(sender, receiver principal.Principal, method string) replica.RequestID {
	const longest = 256
	buf := make([]byte, 0, longest)
	buf = append(buf, "canisterd request "...)
	buf = binary.BigEndian.AppendUint64(buf, d.Height())
	buf = binary.BigEndian.AppendUint64(buf, d.sent.Add(1))
	buf = sender.Append(append(buf, byte(sender.Len())))
	buf = receiver.Append(append(buf, byte(receiver.Len())))
	return sha256.Sum256(append(buf, method...))
}
