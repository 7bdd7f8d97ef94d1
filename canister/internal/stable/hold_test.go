package stable

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// A held snapshot is compared with plain bytes: what it writes, holds and
// reverts, through buffers and through the file.
func TestAHeldSnapshotIsRevertedToItsBytes(t *testing.T) {
	file := newFile(t, "")
	rapid.Check(t, func(t *rapid.T) {
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		m := New(file)
		defer m.Close()
		m.Grow(20)
		must(m.Write(5, []byte("committed")))
		must(m.Commit())
		s := m.Snapshot()
		defer s.Close()
		want := make([]byte, s.Size()*PageSize)
		must(s.Read(0, want))
		var held []byte
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"write", "many", "grow", "hold", "revert", "commit"}).Draw(t, "step") {
			case "write":
				at := rapid.Uint64Range(0, uint64(len(want)-10)).Draw(t, "at")
				text := rapid.SliceOfN(rapid.Byte(), 1, 10).Draw(t, "text")
				must(s.Write(at, text))
				copy(want[at:], text)
			case "many":
				fill := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, 300*OSPageSize)
				must(s.Write(OSPageSize/2, fill))
				copy(want[OSPageSize/2:], fill)
			case "grow":
				s.Grow(1)
				want = append(want, make([]byte, PageSize)...)
			case "hold":
				must(s.Hold())
				held = bytes.Clone(want)
			case "revert":
				if held != nil {
					s.Revert()
					want = bytes.Clone(held)
				}
			case "commit":
				must(m.Write(5, []byte("something else")))
				must(m.Commit())
			}
			got := make([]byte, s.Size()*PageSize)
			must(s.Read(0, got))
			if !checkpoint.Equal(got, want) {
				t.Fatal("the snapshot has other bytes")
			}
		}
		s.Rollback()
		got, now := make([]byte, m.Size()*PageSize), make([]byte, m.Size()*PageSize)
		must(s.Read(0, got))
		must(m.Read(0, now))
		if !checkpoint.Equal(got, now) {
			t.Fatal("after rollback it is not the newest state")
		}
	})
}
