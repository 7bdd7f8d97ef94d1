package instance

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

// firstGeneration is the number of the first generation of an instance, which no other instance has.
func firstGeneration() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:])
}

// stopwatch measures what messages take.
func stopwatch() func() int64 {
	begin := time.Now()
	return func() int64 { return int64(time.Since(begin)) }
}
