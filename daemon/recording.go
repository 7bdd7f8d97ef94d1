package daemon

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

// incarnation is a number by which one life of an instance is told from all others.
func incarnation() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:])
}

// stopwatch measures what messages take.
func stopwatch() func() int64 {
	begin := time.Now()
	return func() int64 { return int64(time.Since(begin)) }
}
