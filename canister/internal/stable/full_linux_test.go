package stable

import (
	"bytes"
	"errors"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
	"github.com/canisterd/canisterd/test/canistertest/disk"
)

// What a message took before the file was full goes back when it is rolled back: others may need the room more. The
// limit on the size of files stands for a full disk.
func TestAMessageThatFindsTheFileFullKeepsNoRoom(t *testing.T) {
	file := newFile(t, t.TempDir())
	m := New(file)
	defer m.Close()
	m.Grow(100)
	must(t, m.Write(0, bytes.Repeat([]byte{1}, 40*OSPageSize)))
	must(t, m.Commit())
	all := bytes.Repeat([]byte{2}, 100*PageSize)
	for range 3 {
		disk.Full(t, 2<<20, func() {
			if err := m.Write(0, all); !errors.Is(err, checkpoint.ErrFull) {
				t.Fatalf("6.4 MB written to a file of at most 2 MiB: %v", err)
			}
		})
		m.Rollback()
		if n := m.space.free.pages; n != 0 {
			t.Errorf("%d unused pages still take room", n)
		}
		checkFilePages(t, m, nil)
		got := make([]byte, 41*OSPageSize)
		must(t, m.Peek(0, got))
		if want := append(bytes.Repeat([]byte{1}, 40*OSPageSize), make([]byte, OSPageSize)...); !bytes.Equal(got, want) {
			t.Error("the committed bytes changed")
		}
	}
	must(t, m.Write(0, all))
	must(t, m.Commit())
}
