package canister_test

import (
	"encoding/binary"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/sourcelines"
)

func TestTheLinesOf64ModulesAreKeptAndThoseUsedLast(t *testing.T) {
	c := canister.NewLineCache()
	for i := range byte(64) {
		c.Keep([32]byte{i}, new(sourcelines.Lines))
	}
	if !c.Has([32]byte{0}) {
		t.Fatal("the first of 64 modules is forgotten")
	}
	c.Keep([32]byte{64}, new(sourcelines.Lines))
	if !c.Has([32]byte{0}) || c.Has([32]byte{1}) || !c.Has([32]byte{64}) {
		t.Error("the 65th module does not take the place of the one that was not used for longest")
	}
}

func TestTheLinesOfAllModulesHave128MiBTogether(t *testing.T) {
	const functions = sourcelines.MaxFunctions
	code := binary.AppendUvarint(nil, functions)
	for range functions {
		code = append(code, 2, 0, 0x0b) // without locals and operators
	}
	module := append(binary.AppendUvarint([]byte("\x00asm\x01\x00\x00\x00\x0a"), uint64(len(code))), code...)
	lines, err := sourcelines.Read(module, sourcelines.SourceMap([]byte(`{"version":3,"sources":["a.mo"],"mappings":"oBAAA"}`)))
	if err != nil {
		t.Fatal(err)
	}
	room := 128 << 20 / lines.Bytes()
	if room < 5 || room > 20 {
		t.Fatalf("lines of a module take %d bytes", lines.Bytes())
	}
	c := canister.NewLineCache()
	for i := range room {
		c.Keep([32]byte{byte(i)}, lines)
	}
	if !c.Has([32]byte{1}) {
		t.Fatal("lines for which there is room are forgotten")
	}
	c.Keep([32]byte{byte(room)}, lines)
	if c.Has([32]byte{0}) || !c.Has([32]byte{1}) || !c.Has([32]byte{byte(room)}) {
		t.Error("lines without room do not take the place of those that were not used for longest")
	}
	if c.OffsetRoom() != 64<<20 {
		t.Errorf("offsets have %d bytes", c.OffsetRoom())
	}
}

func TestGoroutinesShareTheCacheOfLinesWhileOffsetsAreInUse(t *testing.T) {
	c := canister.NewLineCache()
	c.WhileOffsetsAreLocked(func() {
		var running sync.WaitGroup
		for i := range byte(8) {
			running.Go(func() {
				for k := range byte(100) {
					c.Keep([32]byte{k, i}, new(sourcelines.Lines))
					c.Has([32]byte{k})
				}
			})
		}
		running.Wait()
	})
	for i := range byte(8) {
		if c.Has([32]byte{99, i}) {
			return
		}
	}
	t.Error("none of the modules that goroutines kept last is there")
}
