package component

import (
	"strings"
	"testing"
)

func TestACoreModuleHasSeveralMemories(t *testing.T) {
	i := started(t, "memories", nil)
	i.returns(t, uint32(0x11+0x33+0x22), "sum")
	i.returns(t, int64(-128+0x8000), "signs")
	i.returns(t, float64(5.75), "floats", float32(1.5), float64(4.25))
	i.returns(t, int32(300+1-1), "grow")
	i.returns(t, uint32(0x07070707+0x44+5), "fill")
	i.returns(t, uint32(0x07070707), "read")
	i.returns(t, uint32(0x11+0x33+0x22), "record")
	if _, err := i.Call(t.Context(), "beyond"); err == nil || err.Error() != "wasm trap: out of bounds memory access" {
		t.Errorf("%v, want the trap of an access beyond a memory", err)
	}
}

// The first memory is enough for what no compiler makes with others.
func TestWhatSeveralMemoriesCannotDoIsRefused(t *testing.T) {
	module := func(body string, more ...string) string {
		core := emptyCore + section(1, vector("\x60\x00\x00")) + section(3, vector("\x00")) + section(5, vector("\x00\x01", "\x00\x01")) +
			strings.Join(more, "") + section(10, vector(text("\x00"+body+"\x0b")))
		return build(section(sectionCoreModule, core))
	}
	for reason, binary := range map[string]string{
		"memory.copy between memories is not supported":                       module("\x41\x00\x41\x00\x41\x00\xfc\x0a\x01\x00"),
		"unknown memory 2: memory index out of bounds":                        module("\x3f\x02\x1a"),
		"start functions of modules with several memories are not supported":  module("", section(8, "\x00")),
		"instruction 0xfd is not supported in a module with several memories": module("\xfd\x0c"),
		"the engine refuses it: invalid function[0]: type mismatch":           module("\x28\x42\x01\x00\x1a"),
	} {
		if err := Validate(t.Context(), []byte(binary)); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v, want %q", err, reason)
		}
	}
	if err := Validate(t.Context(), []byte(module("\x3f\x01\x1a"))); err != nil {
		t.Errorf("memory.size: %v", err)
	}
}
