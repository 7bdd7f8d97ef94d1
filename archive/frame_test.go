package archive

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// manyFrames is content of more full frames than are compressed at once, each of another kind than the one before.
func manyFrames() []byte {
	content := make([]byte, 10*framesAhead*frameBytes+100)
	noise := rand.NewChaCha8([32]byte{1})
	for at := frameBytes; at < len(content); at += 2 * frameBytes {
		noise.Read(content[at:min(at+frameBytes, len(content))])
	}
	return content
}

// writtenTo writes two sections, the content in the first.
func writtenTo(c *Coder, content *[]byte, after *uint64) {
	c.Section("many frames", func() { c.Bytes(content, MaxBytes) })
	c.Section("after them", func() { Number(c, after) })
}

func TestFramesThatAreCompressedAheadAreWrittenInOrder(t *testing.T) {
	content, after := manyFrames(), uint64(7)
	var files [2]bytes.Buffer
	for i := range files {
		c := NewWriter(&files[i])
		writtenTo(c, &content, &after)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the same content gives two files")
	}
	var gotContent []byte
	var gotAfter uint64
	c := NewReader(&files[0])
	writtenTo(c, &gotContent, &gotAfter)
	if err := c.Close(); err != nil || !bytes.Equal(gotContent, content) || gotAfter != after {
		t.Errorf("the file cannot be read back: %v", err)
	}
}

// fullWriter has room for a number of bytes.
type fullWriter struct{ room int }

var errFull = errors.New("no space is left")

func (w *fullWriter) Write(b []byte) (int, error) {
	if w.room -= len(b); w.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestAWriterThatIsFullEndsFramesThatAreCompressedAhead(t *testing.T) {
	content, after := manyFrames(), uint64(7)
	for _, room := range []int{0, 100, frameBytes, 5 * frameBytes} {
		c := NewWriter(&fullWriter{room})
		writtenTo(c, &content, &after)
		if err := c.Close(); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: got %v", room, err)
		}
		if len(c.ahead) > 0 {
			t.Errorf("with room for %d bytes, %d frames are not waited for", room, len(c.ahead))
		}
	}
}
