package archive

import (
	"bytes"
	"errors"
	"testing"
)

func TestAFileIsVerifiedWithoutItsMeaning(t *testing.T) {
	file := written(t, small())
	if err := Verify(bytes.NewReader(file)); err != nil {
		t.Error(err)
	}
	refused := func(what string, at int, damaged []byte) {
		t.Helper()
		if _, ok := errors.AsType[*Fault](Verify(bytes.NewReader(damaged))); !ok {
			t.Errorf("%s at byte %d of %d is not found", what, at, len(file))
		}
	}
	for at := range file {
		for bit := range 8 {
			damaged := bytes.Clone(file)
			damaged[at] ^= 1 << bit
			refused("a flipped bit", at, damaged)
		}
		refused("the end", at, file[:at])
	}
	refused("something more", len(file), append(bytes.Clone(file), 0))
	refused("the file again", len(file), append(bytes.Clone(file), file...))
}
