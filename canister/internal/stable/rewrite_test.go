package stable

import (
	"testing"
	"time"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioRewritingStablePages is a message that overwrites 64 MiB of stable memory; the floor writes as many
// bytes to a file of the same kind, a megabyte at a time, and gives their space back.
func BenchmarkRatioRewritingStablePages(b *testing.B) {
	const size = 64 << 20
	for _, place := range []struct{ name, dir string }{{"memory", ""}, {"folder", b.TempDir()}} {
		b.Run(place.name, func(b *testing.B) {
			file, content := newFile(b, place.dir), make([]byte, 1<<20)
			for i := range content {
				content[i] = byte(i)
			}
			m := New(file)
			defer m.Close()
			m.Grow(size / PageSize)
			e, err := file.Allocate(size)
			must(b, err)
			timed := func(do func()) func() time.Duration {
				return func() time.Duration {
					start := time.Now()
					do()
					return time.Since(start)
				}
			}
			ratio.CompareTimed(b, 3, timed(func() {
				for at := uint64(0); at < size; at += uint64(len(content)) {
					must(b, m.Write(at, content))
				}
				must(b, m.Commit())
			}), timed(func() {
				for at := int64(0); at < size; at += int64(len(content)) {
					must(b, file.WriteAt(content, e.Offset+at))
				}
				file.Punch(e.Offset, size)
			}))
		})
	}
}
