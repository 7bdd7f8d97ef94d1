package wasi

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// randomFunctions draw random bytes.
func randomFunctions() []function {
	return []function{{name: "random_get", params: "ii", body: randomGet}}
}

// randomGet (to, size) draws bytes. They are the same wherever and however often the message runs.
func randomGet(c *call) errno {
	at, size := c.params[0], c.params[1]
	if _, bad := c.view(at, size); bad != success {
		return bad
	}
	if c.Stream.Random == nil {
		c.Stream.Random = rand.NewChaCha8(c.randomKey())
	}
	for size > 0 {
		n := min(size, pieceBytes)
		c.Guest.Charge(n)
		piece, bad := c.view(at, n)
		if bad != success {
			return bad
		}
		_, _ = c.Stream.Random.Read(piece) // it never fails
		at, size = at+n, size-n
	}
	return success
}

// randomKey returns the key of the message's random bytes. Successive messages of a canister differ in its version, or
// in the number of its next log record; messages on one state differ in their own fields.
func (c *call) randomKey() [32]byte {
	key := append([]byte("random bytes of WASI"), c.Subnet.Randomness[:]...)
	key = append(c.Canister.ID.Append(key), byte(c.Context))
	for _, n := range []uint64{c.Version, c.NextLog, c.Time, c.Message.PriorInstructions, uint64(len(c.Message.Payload))} {
		key = binary.BigEndian.AppendUint64(key, n)
	}
	key = append(c.Message.Caller.Append(key), c.Message.Method...)
	return sha256.Sum256(key)
}
