package main

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

func TestAModuleInAProgramIsFoundWithItsEnd(t *testing.T) {
	read := func(file string) []byte {
		t.Helper()
		content, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	counter, greeter := read("test/canistertest/fixtures/counter.wasm"), read("examples/motoko/greeter.wasm")
	for name, between := range map[string][]byte{
		"another module": nil, "text": []byte("InvalidHexCharacter"), "zeros": make([]byte, 8), "the number of a section": {10, 1, 2, 3}, "half a header": header[:4],
	} {
		program := slices.Concat([]byte("ELF"), header, []byte{0xff}, counter, between, greeter, between)
		for method, want := range map[string][]byte{"add": counter, "greet": greeter} {
			if got, err := carried(program, method); err != nil || !bytes.Equal(got, want) {
				t.Errorf("before %s, the module with %s has %d bytes (%v), want %d", name, method, len(got), err, len(want))
			}
		}
		if _, err := carried(program, "none"); err == nil {
			t.Error("a module without the method is found")
		}
	}
}

func TestALongInterfaceIsShortened(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"a", "b"}, "a, b"},
		{slices.Repeat([]string{"nineteen_characters"}, 6), "nineteen_characters, nineteen_characters, nineteen_characters, nineteen_characters and 2 more"},
	} {
		if got := listed(test.names); got != test.want {
			t.Errorf("%d names: %q, want %q", len(test.names), got, test.want)
		}
	}
}
