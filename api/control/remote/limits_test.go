package remote

import (
	"bytes"
	"slices"
	"testing"
)

func TestAStreamIsSentInPiecesOf1MiB(t *testing.T) {
	var sizes []int
	err := chunks(bytes.NewReader(make([]byte, 2_097_153)), nil, func(b []byte) error {
		sizes = append(sizes, len(b))
		return nil
	})
	if err != nil || !slices.Equal(sizes, []int{1_048_576, 1_048_576, 1}) {
		t.Errorf("2,097,153 bytes are sent as %d: %v", sizes, err)
	}
}
